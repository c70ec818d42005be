"""What the BMC of a server lists of it by Redfish, read with the credentials of its power meter on the bench."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping
from dataclasses import asdict

from wattmark_drivers.errors import DriverError
from wattmark_drivers.redfish.inventory import Inventory, read_inventory

from wattmark.bench.bench import Bench
from wattmark.bench.instruments import Bmc
from wattmark.instruments.entries import bmc_settings
from wattmark.runs.disclosure import OutOfBand, disclosing

_NAMED = re.compile(r"(/(?:Systems|Chassis|Managers)/)[^/\s]+")
"""Paths that name a server, which some makers do by its serial number."""
PATIENCE_S = 300.0
"""A slow BMC answers one request in some seconds, and lists up to a hundred slots [s]."""
FAILURE_KEPT_S = 1800.0
"""How long a BMC that listed nothing is not asked again, before each run of a campaign [s]."""
ASKED_AGAIN = f"It is asked again after {FAILURE_KEPT_S / 60:g} min."


def redfish_bmc(bench: Bench, server: str) -> Bmc | None:
    """Return the BMC of a server that is reached by Redfish; None where there is none, or only a simulated one."""
    return next((bmc for bmc in bench.bmcs_of(server) if bmc.model == "redfish.bmc" and not bmc.simulated), None)


async def read_out_of_band(
    bench: Bench, server: str, environment: Mapping[str, str] = os.environ, patience_s: float = PATIENCE_S
) -> OutOfBand | None:
    """Read what the BMC lists of its server; None where the bench has no such BMC. Never raises a `DriverError`."""
    bmc = redfish_bmc(bench, server)
    if bmc is None:
        return None
    try:
        async with asyncio.timeout(patience_s):
            inventory = await read_inventory(bmc_settings(bmc, bench, environment))
    except DriverError as error:
        return OutOfBand(bmc=bmc.id, problem=_NAMED.sub(r"\1...", str(error)))
    except TimeoutError:
        return OutOfBand(bmc=bmc.id, problem=f"The BMC {bmc.id} did not list the memory in {patience_s:g} s.")
    return _recorded(bmc.id, inventory)


@disclosing()
def _recorded(bmc: str, inventory: Inventory) -> OutOfBand:
    return OutOfBand.model_validate(
        {
            "bmc": bmc,
            "bios": inventory.bios,
            "processors": [
                ", ".join(
                    part
                    for part in (
                        f"{processor.socket}: {processor.model or 'model not stated'}",
                        f"{processor.cores} cores" if processor.cores else "",
                        f"{processor.threads} threads" if processor.threads else "",
                    )
                    if part
                )
                for processor in inventory.processors
            ],
            "slots": [asdict(slot) for slot in inventory.slots],
        }
    )
