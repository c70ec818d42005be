"""Run short commands to their end: a program's version, a server's prepare hook."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.trigger import OutputLine, Trigger

VERSION_TIMEOUT_S = 10.0
KEPT_LINES = 100


@dataclass(frozen=True, slots=True)
class Finished:
    """A command that has ended: exit status, its first lines, and the end of its standard error."""

    status: int
    lines: tuple[str, ...]
    error_tail: str


async def run_to_end(
    trigger: Trigger, argv: Sequence[str], timeout_s: float, environment: Mapping[str, str] | None = None
) -> Finished:
    """Run a command. Raises `WorkloadFailed` when it cannot be started or does not end in time."""
    lines: list[str] = []

    def keep(line: OutputLine) -> None:
        if len(lines) < KEPT_LINES:
            lines.append(line.text)

    async with trigger.start(argv, keep, environment) as execution:
        try:
            async with asyncio.timeout(timeout_s):
                status, _ = await execution.wait()
        except TimeoutError:
            cause = f"{argv[0]} did not end within {timeout_s:g} s and was killed."
            raise WorkloadFailed(cause, "Raise its timeout_s or correct the command.") from None
        return Finished(status, tuple(lines), execution.error_tail)


async def program_version(declaration: Declaration, trigger: Trigger) -> str | None:
    """Read the program's version; None where the declaration does not say how or the program prints none."""
    if declaration.version is None:
        return None
    try:
        finished = await run_to_end(trigger, declaration.version, VERSION_TIMEOUT_S)
    except WorkloadFailed:
        return None
    return next((line.strip() for line in finished.lines if line.strip()), None) if finished.status == 0 else None
