"""What the servers of a campaign say of themselves, for the disclosure of their runs."""

from __future__ import annotations

import asyncio
import os
import platform
import re
import subprocess
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from wattmark.campaigns.environment.parser import read_answer
from wattmark.core.errors import WorkloadFailed
from wattmark.core.version import version
from wattmark.runs.disclosure import HostFacts
from wattmark.runs.environment import Environment
from wattmark.workloads.local.commands import run_to_end
from wattmark.workloads.trigger import OutputLine, Trigger

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
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


@cache
def probe(root: str = "") -> tuple[str, ...]:
    """Return the script as a command; ``root`` is put before every path that it reads."""
    return ("sh", "-c", Path(__file__).parent.joinpath("environment", "probe.sh").read_text("utf-8"), "sh", root)


async def describe_server(trigger: Trigger, *, here: bool, root: str = "") -> tuple[HostFacts, Environment]:
    """Describe a server by what its kernel and its firmware state now. Raises `WorkloadFailed` where it is not reached.

    ``here``: it is this machine. ``root``: tests bring their own tree.
    """
    _, lines = await ask_server(trigger, probe(root))
    return _described(lines, here=here)


async def read_environment(trigger: Trigger) -> Environment:
    """Read the environment of a server as it is now. Raises `WorkloadFailed` where it is not reached."""
    _, environment = await describe_server(trigger, here=False)
    return environment


def describe_here() -> tuple[HostFacts, Environment]:
    """Describe this machine, from a process that does not start loads. What does not answer has its reason."""
    path = {"PATH": os.environ.get("PATH", os.defpath)}
    try:
        done = subprocess.run(probe(), stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, env=path)
    except (OSError, subprocess.TimeoutExpired):
        return _described((), here=True)
    return _described(done.stdout.decode("utf-8", "replace").splitlines(), here=True)


def _described(lines: Iterable[str], *, here: bool) -> tuple[HostFacts, Environment]:
    answer = read_answer(lines)
    stated, cpus = answer.host, answer.host.get("cpus", "")
    host = HostFacts(
        wattmark=version(),
        python=platform.python_version() if here else None,
        host=stated.get("name"),
        kernel=answer.environment.kernel,
        machine=stated.get("machine"),
        model=model_name(stated.get("maker"), stated.get("product")),
        cpus=int(cpus) if re.fullmatch("[0-9]{1,6}", cpus) else None,
        boot_id=stated.get("boot"),
    )
    return host, answer.environment


def model_name(maker: str | None, product: str | None) -> str | None:
    """Return maker and product as one name; None where the firmware states no product."""
    maker, product = ("" if text is None or UNSTATED.fullmatch(text) else text for text in (maker, product))
    if not product:
        return None
    return product if not maker or product.lower().startswith(maker.lower()) else f"{maker} {product}"


async def boot_id(trigger: Trigger) -> str | None:
    """Ask another machine for the name of its boot; None where its system does not report it."""
    try:
        finished = await run_to_end(trigger, ["cat", str(BOOT_ID)], TIMEOUT_S)
    except WorkloadFailed:
        return None
    answer = finished.lines[0].strip() if finished.status == 0 and finished.lines else ""
    return answer or None


async def memory_slots(trigger: Trigger) -> str | None:
    """Ask dmidecode for the slots as they are now; None where it lists none (`MEMORY_SLOTS_UNREAD`), without raising.

    The tables can be read by root only; where the load does not run as root that is said and nothing is tried.
    Serial numbers are not kept.
    """
    try:
        status, lines = await ask_server(trigger, MEMORY_COMMAND)
    except WorkloadFailed:
        return None
    lines = [line for line in lines if not line.strip().startswith(PRIVATE)]
    return "\n".join(lines) if status == 0 and any(line.strip() == "Memory Device" for line in lines) else None


async def ask_server(
    trigger: Trigger, argv: Sequence[str], timeout_s: float = TIMEOUT_S
) -> tuple[int | None, list[str]]:
    """Run a short command on a server; return its exit status and its lines. Raises `WorkloadFailed`.

    One that does not end in time is ended, without a status.
    """
    lines: list[str] = []

    def keep(line: OutputLine) -> None:
        if len(lines) < MOST_LINES:
            lines.append(line.text)

    async with trigger.start(argv, keep, None) as execution:
        try:
            async with asyncio.timeout(timeout_s):
                status, _ = await execution.wait()
        except TimeoutError:
            return None, lines
    return status, lines
