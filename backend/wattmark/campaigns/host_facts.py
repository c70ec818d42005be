"""The machine that runs a load, as a reader needs to know it."""

from __future__ import annotations

from typing import Any

from wattmark.campaigns.disclosure import BOOT_ID, host_facts
from wattmark.runs.structure import BOOT
from wattmark.version import version
from wattmark.workloads.commands import run_to_end
from wattmark.workloads.trigger import Trigger, WorkloadFailed

TIMEOUT_S = 15.0


async def describe_host(trigger: Trigger, *, here: bool) -> dict[str, Any]:
    """Describe this machine, or another one by what its uname says. Raises `WorkloadFailed` when it does not answer."""
    if here:
        return host_facts()
    found = await run_to_end(trigger, ["uname", "-nrm"], TIMEOUT_S)
    name, kernel, machine = ((found.lines[0] if found.lines else "").split() + [None] * 3)[:3]
    return {
        "wattmark": version(),
        "host": name,
        "kernel": kernel,
        "machine": machine,
        "cpus": await trigger.cpus(),
    }


async def boot_facts(trigger: Trigger) -> dict[str, Any]:
    """Ask another machine for the name of its boot; None where its system does not tell."""
    try:
        finished = await run_to_end(trigger, ["cat", str(BOOT_ID)], TIMEOUT_S)
    except WorkloadFailed:
        return {BOOT: None}
    told = finished.lines[0].strip() if finished.status == 0 and finished.lines else ""
    return {BOOT: told or None}
