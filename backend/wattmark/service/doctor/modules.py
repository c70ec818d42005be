"""The memory modules of this machine: which way shows them to the service, and what to do otherwise."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from wattmark.bench.dmi import parse_memory_devices
from wattmark.bench.slot_ways import INVENTORY_FILE, WAYS
from wattmark.campaigns.out_of_band import read_out_of_band, redfish_bmc
from wattmark.campaigns.server_facts import FirmwareSlots, slots_here
from wattmark.core.errors import InputError
from wattmark.instruments.known_bench import OWN_BENCH, load_known_bench
from wattmark.service.doctor.finding import Finding

SUBJECT = "memory modules"
PATIENCE_S = 20.0
"""How long a BMC may take to list the modules [s]; a campaign waits longer."""
REMEDY = (
    "Install wattmark-inventory.service, and add the user of the service to its group (docker/README.md), or give the "
    "BMC of this machine a Redfish url in the bench file."
)


def memory_modules(path: Path | None, data_dir: Path, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Check by which way the runs of this machine get their memory inventory: its firmware, or its BMC."""
    out_of_band = list(_out_of_band(path or data_dir / OWN_BENCH, environment))
    works = any(finding.state == "ok" for finding in out_of_band)
    yield by_firmware(slots_here(), otherwise=works, as_root=os.geteuid() == 0)
    yield from out_of_band


def by_firmware(slots: FirmwareSlots, *, otherwise: bool, as_root: bool = False) -> Finding:
    """Judge what the firmware's tables gave; ``otherwise``: the BMC lists the modules. ``as_root``: to root."""
    if slots.text is None or slots.way is None:
        if otherwise:
            return Finding(SUBJECT, "ok", f"not verified by firmware, but by the BMC: {slots.why}")
        return _unread(str(slots.why))
    devices = parse_memory_devices(slots.text)
    fitted = sum(device.capacity_gib is not None for device in devices)
    if not fitted:
        return _unread(f"{WAYS[slots.way].words} name no module")
    counted = f"{_counted(fitted, len(devices))}, from {WAYS[slots.way].words}"
    if slots.way == "dmidecode" and as_root:
        counted += f" as root; a service of another user needs {INVENTORY_FILE} of wattmark-inventory.service"
    return Finding(SUBJECT, "ok", counted)


def _counted(modules: int, slots: int) -> str:
    return f"{modules} module{'s' * (modules != 1)} in {slots} slot{'s' * (slots != 1)}"


def _unread(why: str) -> Finding:
    return Finding(SUBJECT, "warning", f"declared, not verified: {why}", REMEDY)


def _out_of_band(path: Path, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Ask the BMCs of the bench whose server is this machine."""
    if not path.is_file():
        return
    try:
        bench = load_known_bench(path)
    except InputError:
        return  # the check of the bench file reports what is wrong with it
    for server in bench.servers:
        if server.access.ssh is not None or redfish_bmc(bench, server.id) is None:
            continue
        answer = asyncio.run(read_out_of_band(bench, server.id, environment, PATIENCE_S))
        if answer is None:
            continue
        subject, fitted = f"modules by {answer.bmc}", sum(slot.filled for slot in answer.slots)
        if answer.problem is not None or not fitted:
            problem = answer.problem or "the BMC lists no module"
            yield Finding(subject, "warning", problem, "Correct the BMC in the bench file, or its rights.")
        else:
            yield Finding(subject, "ok", f"{_counted(fitted, len(answer.slots))}, by Redfish")
