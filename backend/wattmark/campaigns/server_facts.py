"""What the servers of a campaign say of themselves, for the disclosure of their runs: system, boot, memory slots."""

from __future__ import annotations

import asyncio
import os
import platform
import re
from pathlib import Path

from wattmark.core.errors import WattmarkError, WorkloadFailed
from wattmark.core.version import version
from wattmark.runs.disclosure import HostFacts, disclosing
from wattmark.workloads.local.commands import run_to_end
from wattmark.workloads.trigger import OutputLine, Trigger

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
CLOCK_SOURCE = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
MAKER, PRODUCT = Path("/sys/class/dmi/id/sys_vendor"), Path("/sys/class/dmi/id/product_name")
UNSTATED = re.compile(
    r"to be filled.*|default string|system (manufacturer|product name)|(not|un)[ -]?(specified|known)", re.IGNORECASE
)
"""What firmware states where its maker stated nothing."""
TIMEOUT_S = 15.0
MEMORY_COMMAND = ("dmidecode", "-t", "17")
MOST_LINES = 20_000
PRIVATE = ("Serial Number:", "Asset Tag:")
MEMORY_SLOTS_UNREAD = (
    "The memory slots were not verified: dmidecode is missing on the server or may not read the firmware tables, which "
    "needs root. Grant access, or compare the slots by hand."
)


def host_facts() -> HostFacts:
    """Describe the machine that runs the load; None where it does not tell."""
    return HostFacts(
        wattmark=version(),
        python=platform.python_version(),
        host=platform.node(),
        kernel=platform.release(),
        machine=platform.machine(),
        model=model_name(_first_line(MAKER), _first_line(PRODUCT)),
        cpus=len(os.sched_getaffinity(0)),
        boot_id=_first_line(BOOT_ID),
        clock_source=_first_line(CLOCK_SOURCE),
        cpu_governor=_first_line(GOVERNOR),
    )


async def describe_host(trigger: Trigger, *, here: bool) -> HostFacts:
    """Describe this machine, or another one by what its uname says. Raises `WorkloadFailed` when it does not answer."""
    if here:
        return host_facts()
    uname = await run_to_end(trigger, ["uname", "-nrm"], TIMEOUT_S)
    name, kernel, machine = ((uname.lines[0] if uname.lines else "").split() + [None] * 3)[:3]
    cpus = await trigger.cpus()
    model = model_name(await _line_of(trigger, MAKER), await _line_of(trigger, PRODUCT))
    with disclosing():
        return HostFacts(wattmark=version(), host=name, kernel=kernel, machine=machine, model=model, cpus=cpus)


def model_name(maker: str | None, product: str | None) -> str | None:
    """Return maker and product as one name; None where the firmware states no product."""
    maker, product = ("" if text is None or UNSTATED.fullmatch(text) else text for text in (maker, product))
    if not product:
        return None
    return product if not maker or product.lower().startswith(maker.lower()) else f"{maker} {product}"


async def boot_id(trigger: Trigger) -> str | None:
    """Ask another machine for the name of its boot; None where its system does not report it."""
    return await _line_of(trigger, BOOT_ID)


async def _line_of(trigger: Trigger, file: Path) -> str | None:
    """Read the first line of a file of another machine; None where there is none."""
    try:
        finished = await run_to_end(trigger, ["cat", str(file)], TIMEOUT_S)
    except WorkloadFailed:
        return None
    answer = finished.lines[0].strip() if finished.status == 0 and finished.lines else ""
    return answer or None


async def memory_slots(trigger: Trigger) -> str | None:
    """Ask dmidecode for the slots as they are now; None where it lists none (`MEMORY_SLOTS_UNREAD`), without raising.

    The tables can be read by root only; where the load does not run as root that is said and nothing is tried.
    Serial numbers are not kept.
    """
    lines: list[str] = []

    def keep(line: OutputLine) -> None:
        if len(lines) < MOST_LINES and not line.text.strip().startswith(PRIVATE):
            lines.append(line.text)

    try:
        async with trigger.start(MEMORY_COMMAND, keep, None) as execution:
            async with asyncio.timeout(TIMEOUT_S):
                status, _ = await execution.wait()
            failed = status != 0
    except (WattmarkError, TimeoutError):
        failed = True
    if failed or not any(line.strip() == "Memory Device" for line in lines):
        return None
    return "\n".join(lines)


def _first_line(path: Path) -> str | None:
    try:
        return path.read_text().strip() or None
    except OSError:
        return None
