"""Measure a workload: run its program, once or in slices, and count the work between its own marks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial

from wattmark_drivers.clock import Clock

from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.external import measure_external
from wattmark.workloads.hooked import measure_hooked
from wattmark.workloads.local.environment import load_environment
from wattmark.workloads.markers import MarkerBoard
from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.parsers.parsers import MarkerParser
from wattmark.workloads.parsers.parsing import OutputParser, parser_for
from wattmark.workloads.parsers.work import MarkedWork, SoFar, join
from wattmark.workloads.trigger import Execution, OutputLine, Trigger


async def measure(
    declaration: Declaration,
    *,
    level: int | None,
    seconds: float,
    trigger: Trigger,
    clock: Clock,
    on_begin: Callable[[Mark], None],
    workspace: str = "",
    on_running: Callable[[SoFar], None] = lambda _: None,
    board: MarkerBoard | None = None,
    begin: Mark | None = None,
) -> MarkedWork:
    """Run the workload for about ``seconds`` of counted work; ``on_begin`` is called when that begins.

    A load started elsewhere is measured by its marks on ``board``, one with a hook by the answers to its calls.

    ``on_running`` gets a function that returns the work so far, a new one for each run of the program.
    ``begin`` is when ``trigger`` starts the first program, where that is not at once.
    Raises `WorkloadFailed`. However this ends, no process of the load is left alive.
    """
    board = board or MarkerBoard()
    if declaration.hook is not None:
        return await measure_hooked(
            declaration,
            level=level,
            seconds=seconds,
            trigger=trigger,
            clock=clock,
            on_begin=on_begin,
            on_running=on_running,
            board=board,
        )
    if isinstance(declaration.parser, MarkerParser):
        return await measure_external(declaration, declaration.parser, seconds=seconds, board=board, on_begin=on_begin)
    cpus, environment = await trigger.cpus(), load_environment(declaration)
    parts: list[MarkedWork] = []
    running, closing = AsyncExitStack(), list[asyncio.Task[None]]()
    try:
        for slice_s in declaration.slices(seconds):
            program_s = slice_s + round(declaration.warm_up_s)
            argv = declaration.argv(level=level, seconds=program_s, cpus=cpus, workspace=workspace)
            started = begin if begin is not None and not parts else mark_now(clock)
            parser = parser_for(declaration, level=level, seconds=slice_s, started=started)
            watch, fresh = _Watch(parser, None if parts else on_begin), AsyncExitStack()
            execution = await fresh.enter_async_context(trigger.start(argv, watch.take, environment))
            # The previous slice has ended already; its remaining clean-up must not widen the gap.
            closing.append(asyncio.create_task(running.aclose()))
            running = fresh
            watch.attach(execution)
            on_running(partial(_so_far, tuple(parts), parser, clock))
            parts.append(await _one(declaration, watch, execution, slice_s, clock))
    finally:
        await running.aclose()
        await asyncio.gather(*closing)
    return join(parts)


def _so_far(parts: tuple[MarkedWork, ...], parser: OutputParser, clock: Clock) -> MarkedWork | None:
    """Join the finished slices with what the present one has reported."""
    done = list(parts)
    if parser.began is not None and (present := parser.so_far(mark_now(clock))) is not None:
        done.append(present)
    return join(done) if done else None


async def _one(declaration: Declaration, watch: _Watch, execution: Execution, slice_s: int, clock: Clock) -> MarkedWork:
    limit_s = time_limit_s(declaration, slice_s)
    ended = asyncio.ensure_future(execution.wait())
    seen = asyncio.ensure_future(watch.finished.wait())
    try:
        await asyncio.wait({ended, seen}, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
        if watch.failure:
            raise watch.failure
        if watch.parser.done:
            # Before the kill: afterwards there is no process to read the CPU time of.
            cpu_s = watch.cpu_s()
            execution.kill()
            return replace(watch.parser.result(mark_now(clock)), cpu_s=cpu_s)
        if not ended.done():
            cause = f"{declaration.program} did not end within {limit_s:g} s and was killed."
            raise WorkloadFailed(cause, "Set timeout_s or correct the command.")
        status, mark = ended.result()
        if status != 0:
            raise WorkloadFailed(_exit_cause(declaration, status, execution.error_tail))
        return watch.parser.result(mark)
    finally:
        ended.cancel()
        seen.cancel()


def time_limit_s(declaration: Declaration, seconds: float) -> float:
    """Compute how long one run of the program may take [s]."""
    return declaration.timeout_s or 2 * (declaration.lead_in_s(seconds) + seconds) + 60


def _exit_cause(declaration: Declaration, status: int, tail: str) -> str:
    how = f"was killed by signal {-status}" if status < 0 else f"ended with exit status {status}"
    return f"{declaration.program} {how}{f': {tail}' if tail else ''}."


class _Watch:
    """Feeds a parser from the reading thread and reports changes to the event loop."""

    def __init__(self, parser: OutputParser, on_begin: Callable[[Mark], None] | None) -> None:
        self.parser = parser
        self.failure: WorkloadFailed | None = None
        self.finished = asyncio.Event()
        self._on_begin = on_begin
        self._loop = asyncio.get_running_loop()
        self._execution: Execution | None = None
        self._cpu_at_begin_s: float | None = None
        self._told = (False, False)

    def attach(self, execution: Execution) -> None:
        """Register the program to watch; it may have printed already."""
        self._execution = execution
        self._tell()

    def cpu_s(self) -> float | None:
        """Compute the CPU time of the load since the begin mark [s]; None where it is not known."""
        now_s = self._execution.cpu_s() if self._execution else None
        return None if now_s is None or self._cpu_at_begin_s is None else now_s - self._cpu_at_begin_s

    def take(self, line: OutputLine) -> None:
        """Parse a line, in the thread that read it."""
        if self.failure:
            return
        try:
            self.parser.feed(line)
        except WorkloadFailed as failure:
            self.failure = failure
        state = (self.parser.began is not None, self.parser.done or self.failure is not None)
        if state != self._told:
            self._told = state
            self._loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        began = self.parser.began
        if began is not None and self._execution and self._cpu_at_begin_s is None:
            self._cpu_at_begin_s = self._execution.cpu_s()
        if began is not None and self._on_begin:
            self._on_begin(began)
            self._on_begin = None
        if self.failure or self.parser.done:
            self.finished.set()
