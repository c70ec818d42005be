"""What the servers of a campaign say of themselves, for the disclosure of their runs."""

from __future__ import annotations

import asyncio
import os
import platform
import re
import subprocess
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wattmark_drivers.stated_text import stated

from wattmark.bench.slot_ways import BOOT_FILE, WAYS, commands, lists_slots, why_not_believed, without_private
from wattmark.campaigns.environment.parser import read_answer
from wattmark.core.errors import WorkloadFailed
from wattmark.core.version import version
from wattmark.runs.disclosure import HostFacts, SlotsWay
from wattmark.runs.environment import LONGEST, Environment
from wattmark.workloads.local.commands import run_to_end
from wattmark.workloads.trigger import OutputLine, Trigger

TIMEOUT_S = 15.0
MOST_LINES = 200_000
"""dmidecode prints some 40 lines for a slot, of which there may be 4096 (`dmi.MOST_SLOTS`)."""
INSTALL = "Install wattmark-inventory.service on the server (docker/README.md)."
SUDO_NOT_TRIED = "sudo is not tried without sudo_dmidecode: true in the bench file"


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


def with_supplies(environment: Environment, supplies: Mapping[str, str]) -> Environment:
    """Add what a BMC states of the power supplies; nothing where it states none."""
    if not supplies:
        return environment
    unread = {fact: why for fact, why in environment.unread.items() if fact != "supplies"}
    texts = {name[:LONGEST]: text[:LONGEST] for name, text in supplies.items()}
    return environment.changed(supplies=texts, unread=unread)


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
    facts, cpus = answer.host, answer.host.get("cpus", "")
    host = HostFacts(
        wattmark=version(),
        python=platform.python_version() if here else None,
        host=facts.get("name"),
        kernel=answer.environment.kernel,
        machine=facts.get("machine"),
        model=model_name(facts.get("maker"), facts.get("product")),
        cpus=int(cpus) if re.fullmatch("[0-9]{1,6}", cpus) else None,
        boot_id=facts.get("boot"),
    )
    return host, answer.environment


def model_name(maker: str | None, product: str | None) -> str | None:
    """Return maker and product as one name; None where the firmware states no product."""
    maker, product = (stated(text) or "" for text in (maker, product))
    if not product:
        return None
    return product if not maker or product.lower().startswith(maker.lower()) else f"{maker} {product}"


async def boot_id(trigger: Trigger) -> str | None:
    """Ask another machine for the name of its boot; None where its system does not report it."""
    try:
        finished = await run_to_end(trigger, ["cat", BOOT_FILE], TIMEOUT_S)
    except WorkloadFailed:
        return None
    answer = finished.lines[0].strip() if finished.status == 0 and finished.lines else ""
    return answer or None


@dataclass(frozen=True, slots=True)
class FirmwareSlots:
    """The slots as the firmware lists them, and how they were read; without them the reason."""

    text: str | None = None
    way: SlotsWay | None = None
    why: str | None = None
    remedy: str = INSTALL

    @property
    def unread(self) -> str | None:
        """Explain why they were not read, and what to do."""
        why = self.why
        return None if why is None else f"The firmware's list of memory modules was not read: {why}. {self.remedy}"


async def memory_slots(trigger: Trigger, *, here: bool, boot: str | None = None, sudo: bool = False) -> FirmwareSlots:
    """Read the slots of a server as they are now, by the first of `slot_ways.WAYS` that gives them; never raises.

    ``here``: it is this machine. ``boot`` is the present boot: a file of an earlier one may list other modules.
    ``sudo``: the bench file says that sudo allows the command there. Serial numbers are not kept.
    """

    async def ask(argv: Sequence[str]) -> tuple[int | None, list[str]]:
        try:
            return await ask_server(trigger, argv)
        except WorkloadFailed:
            return None, []

    return await _first_slots(ask, boot, sudo=sudo and not here, unasked=() if here or sudo else (SUDO_NOT_TRIED,))


def slots_here() -> FirmwareSlots:
    """Read the slots of this machine, from a process that does not start loads."""

    async def ask(argv: Sequence[str]) -> tuple[int | None, list[str]]:
        try:
            done = await asyncio.to_thread(
                subprocess.run, argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S
            )
        except (OSError, subprocess.TimeoutExpired):
            return None, []
        return done.returncode, done.stdout.decode("utf-8", "replace").splitlines()

    file = Path(BOOT_FILE)
    return asyncio.run(_first_slots(ask, file.read_text("utf-8").strip() if file.exists() else None, sudo=False))


async def _first_slots(
    ask: Callable[[Sequence[str]], Awaitable[tuple[int | None, list[str]]]],
    boot: str | None,
    *,
    sudo: bool,
    unasked: Sequence[str] = (),
) -> FirmwareSlots:
    """Ask one way after the other; ``unasked`` says why others are not."""
    reasons = []
    for way, argv in commands(sudo=sudo).items():
        status, lines = await ask(argv)
        if (reason := _not_the_slots(way, status, lines, boot)) is None:
            return FirmwareSlots("\n".join(without_private(lines)), way)
        reasons.append(reason)
    return FirmwareSlots(why="; ".join((*reasons, *unasked)))


def _not_the_slots(way: SlotsWay, status: int | None, lines: Sequence[str], boot: str | None) -> str | None:
    """Explain why the answer of a command is not the list of slots; None where it is."""
    if status != 0:
        return WAYS[way].refusal
    if not lists_slots(lines):
        return f"{WAYS[way].name} lists no memory device"
    return why_not_believed(way, lines, boot)


async def ask_server(
    trigger: Trigger, argv: Sequence[str], timeout_s: float = TIMEOUT_S
) -> tuple[int | None, list[str]]:
    """Run a short command on a server; return its exit status and its lines. Raises `WorkloadFailed`.

    One that does not end in time is ended, without a status; one that prints more than is kept has none, either.
    """
    lines: list[str] = []
    is_whole = True

    def keep(line: OutputLine) -> None:
        nonlocal is_whole
        is_whole = len(lines) < MOST_LINES
        if is_whole:
            lines.append(line.text)

    async with trigger.start(argv, keep, None) as execution:
        try:
            async with asyncio.timeout(timeout_s):
                status, _ = await execution.wait()
        except TimeoutError:
            return None, lines
    return status if is_whole else None, lines
