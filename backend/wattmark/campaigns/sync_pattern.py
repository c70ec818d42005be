"""Unequal pulses of load, from whose edges in the power trace the latency of a meter is found (method 5.2)."""

from __future__ import annotations

import asyncio
import math

from wattmark_drivers.clock import Clock

from wattmark.remote.execution import RemoteExecution
from wattmark.runs.record import Pulse
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.environment import load_environment
from wattmark.workloads.hooked import pulse_hooked
from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.trigger import Line, Trigger, WorkloadFailed


async def pulse(
    declaration: Declaration, *, level: int | None, seconds: float, trigger: Trigger, clock: Clock, workspace: str
) -> Pulse:
    """Run the load for ``seconds``, kill it at once, and tell when it really began and ended.

    Raises `WorkloadFailed` when the program fails by itself.
    """
    if declaration.hook is not None:
        return _pulse(*await pulse_hooked(declaration, level=level, seconds=seconds, trigger=trigger, clock=clock))
    argv = declaration.argv(level=level, seconds=math.ceil(seconds) + 1, cpus=await trigger.cpus(), workspace=workspace)
    async with trigger.start(argv, _ignore, load_environment(declaration)) as execution:
        left_s = seconds - mark_now(clock).since(execution.started)
        ended, time = asyncio.ensure_future(execution.wait()), asyncio.ensure_future(clock.sleep(left_s))
        try:
            await asyncio.wait({ended, time}, return_when=asyncio.FIRST_COMPLETED)
            alone = ended.done()
            execution.kill()
            status, end = await ended
        finally:
            ended.cancel()
            time.cancel()
        if alone and status != 0:
            cause = f"{declaration.command[0]} ended with exit status {status} in the sync pattern"
            raise WorkloadFailed(f"{cause}: {execution.error_tail}.")
    there = (execution.begun_ns, execution.ended_ns) if isinstance(execution, RemoteExecution) else (None, None)
    return _pulse(execution.started, end, *there)


def _pulse(begin: Mark, end: Mark, begin_there_ns: int | None = None, end_there_ns: int | None = None) -> Pulse:
    return Pulse(
        begin_ns=begin.utc_ns,
        end_ns=end.utc_ns,
        begin_monotonic_ns=begin.monotonic_ns,
        end_monotonic_ns=end.monotonic_ns,
        begin_there_ns=begin_there_ns,
        end_there_ns=end_there_ns,
    )


def _ignore(_: Line) -> None:
    """What is printed in a pulse does not count."""
