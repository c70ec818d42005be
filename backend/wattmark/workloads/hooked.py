"""Measure and hold a load that HTTP calls begin and end."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from wattmark_drivers.clock import Clock

from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.external import measure_external
from wattmark.workloads.hook import HookAnswer, HookedLoad, HookTrigger, Poll
from wattmark.workloads.markers import MarkerBoard
from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.parsers.json_output import JsonOutput
from wattmark.workloads.parsers.parsers import JsonParser, MarkerParser
from wattmark.workloads.parsers.work import MarkedWork, SoFar
from wattmark.workloads.trigger import OutputLine, Trigger

GRACE_S = 60.0
"""How much longer than asked for a load may take to fill the window [s]."""


async def measure_hooked(
    declaration: Declaration,
    *,
    level: int | None,
    seconds: float,
    trigger: Trigger,
    clock: Clock,
    on_begin: Callable[[Mark], None],
    on_running: Callable[[SoFar], None],
    board: MarkerBoard,
) -> MarkedWork:
    """Measure a load that calls start and end, counted by its marks, its polled answers or its last answer.

    Raises `WorkloadFailed`.
    """
    load = begun_load(declaration, level=level, seconds=seconds + declaration.warm_up_s, trigger=trigger)
    if isinstance(declaration.parser, MarkerParser):
        return await measure_external(
            declaration, declaration.parser, seconds=seconds, board=board, on_begin=on_begin, load=load
        )
    assert isinstance(declaration.parser, JsonParser)  # noqa: S101 - the declaration allows no other
    hook = declaration.hook
    async with load as running:
        output = JsonOutput(
            declaration.parser,
            started=running.begun.came,
            warm_up_s=declaration.warm_up_s,
            seconds=seconds,
            unit=declaration.unit,
        )
        on_running(lambda: output.so_far(mark_now(clock)))
        if hook is None or hook.poll is None:
            return await _whole(running, output, seconds, clock, on_begin)
        return await _polled(running, output, hook.poll, time_limit_s(declaration, seconds), clock, on_begin)


def begun_load(
    declaration: Declaration, *, level: int | None, seconds: float, trigger: Trigger
) -> AbstractAsyncContextManager[HookedLoad]:
    """Start the load for some time [s]. Raises `WorkloadFailed` where no trigger can make the calls."""
    if not isinstance(trigger, HookTrigger):
        cause = f"{declaration.id} is started by HTTP calls, which cannot be made here."
        raise WorkloadFailed(cause, "Run it in a campaign, or with wattmark workload try.")
    return trigger.load(level, math.ceil(seconds))


def time_limit_s(declaration: Declaration, seconds: float) -> float:
    """Compute how long the load may take to fill the window [s]."""
    return declaration.timeout_s or declaration.warm_up_s + seconds + GRACE_S


async def _whole(
    running: HookedLoad, output: JsonOutput, seconds: float, clock: Clock, on_begin: Callable[[Mark], None]
) -> MarkedWork:
    """Count the work that the answer to the end call states; the window ends when that call is made."""
    on_begin(running.begun.came)
    await clock.sleep(seconds - mark_now(clock).since(running.begun.came))
    answer = await running.end()
    output.feed(OutputLine("stdout", answer.text, answer.came))
    return replace(output.result(answer.asked), edge_s=max(running.begun.took_s, answer.took_s))


async def _polled(
    running: HookedLoad,
    output: JsonOutput,
    poll: Poll,
    limit_s: float,
    clock: Clock,
    on_begin: Callable[[Mark], None],
) -> MarkedWork:
    """Count the work that polled answers state, at even intervals, until the window is full."""
    slowest_s, begin, number = 0.0, running.begun.came, 0
    while not output.done:
        number += 1
        if number * poll.every_s > limit_s:
            cause = f"The load did not fill the window within {limit_s:g} s."
            raise WorkloadFailed(cause, "Check that its responses contain the number, or raise timeout_s.")
        await clock.sleep(begin.monotonic_ns / 1e9 + number * poll.every_s - clock.monotonic_ns() / 1e9)
        answer = await running.poll()
        slowest_s = max(slowest_s, answer.took_s)
        _count(output, answer, on_begin)
    return replace(output.result(mark_now(clock)), edge_s=slowest_s)


def _count(output: JsonOutput, answer: HookAnswer, on_begin: Callable[[Mark], None]) -> None:
    """Read one answer, and report the first that counts."""
    before = output.began
    output.feed(OutputLine("stdout", answer.text, answer.came))
    if before is None and output.began is not None:
        on_begin(output.began)


async def hold_hooked(
    declaration: Declaration, *, level: int | None, seconds: float, trigger: Trigger, clock: Clock
) -> None:
    """Keep the load up for ``seconds`` without counting it. Raises `WorkloadFailed`."""
    begin = mark_now(clock)
    async with begun_load(declaration, level=level, seconds=seconds, trigger=trigger):
        await clock.sleep(seconds - mark_now(clock).since(begin))


async def pulse_hooked(
    declaration: Declaration, *, level: int | None, seconds: float, trigger: Trigger, clock: Clock
) -> tuple[Mark, Mark]:
    """Run the load for a moment; return when its start and its end were confirmed. Raises `WorkloadFailed`."""
    async with begun_load(declaration, level=level, seconds=seconds, trigger=trigger) as running:
        await clock.sleep(seconds)
        return running.begun.came, (await running.end()).came
