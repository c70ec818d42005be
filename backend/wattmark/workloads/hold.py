"""Hold a load without counting it: before the window, so that a server settles, and after it."""

from __future__ import annotations

import asyncio
import math

from wattmark_drivers.clock import Clock

from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.hooked import hold_hooked
from wattmark.workloads.local.environment import load_environment
from wattmark.workloads.marks import mark_now
from wattmark.workloads.trigger import OutputLine, Trigger


async def hold_load(
    declaration: Declaration,
    *,
    level: int | None,
    seconds: float,
    trigger: Trigger,
    clock: Clock,
    workspace: str = "",
) -> None:
    """Keep the workload running for ``seconds`` [s], restarting it when it ends early, then stop it.

    A load that others start is not held; nothing happens then. Raises `WorkloadFailed` when the program fails.
    """
    if declaration.hook is not None:
        await hold_hooked(declaration, level=level, seconds=seconds, trigger=trigger, clock=clock)
    if not declaration.command:
        return
    begin, cpus = mark_now(clock), await trigger.cpus()
    environment = load_environment(declaration)
    while (left_s := seconds - mark_now(clock).since(begin)) > 0:
        argv = declaration.argv(level=level, seconds=math.ceil(left_s) + 1, cpus=cpus, workspace=workspace)
        async with trigger.start(argv, _ignore, environment) as execution:
            try:
                async with asyncio.timeout(left_s):
                    status, _ = await execution.wait()
            except TimeoutError:
                return
            if status != 0:
                cause = f"{declaration.program} ended with exit status {status} while the load was held"
                raise WorkloadFailed(f"{cause}: {execution.error_tail}.")


def _ignore(_: OutputLine) -> None:
    """Read no line: output does not count while the load is held."""
