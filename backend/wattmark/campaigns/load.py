"""A workload at a level on its machine: held for a time, in a short pulse, or begun at an instant of a group."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self

from wattmark_drivers.clock import Clock

from wattmark.core.errors import WorkloadFailed
from wattmark.runs.record import Pulse
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.forwarding import ForwardingTrigger
from wattmark.workloads.hold import hold_load
from wattmark.workloads.hooked import pulse_hooked
from wattmark.workloads.local.environment import load_environment
from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.ssh.execution import RemoteExecution
from wattmark.workloads.trigger import Execution, OutputLine, Trigger


@dataclass(frozen=True, slots=True)
class Load:
    """The workload to start, its level and its machine; ``workspace`` is the folder with its files."""

    declaration: Declaration
    level: int | None
    trigger: Trigger
    clock: Clock
    workspace: str

    async def hold(self, seconds: float) -> None:
        """Keep the load up. Raises `WorkloadFailed` when the program fails."""
        if seconds > 0:
            await hold_load(
                self.declaration,
                level=self.level,
                seconds=seconds,
                trigger=self.trigger,
                clock=self.clock,
                workspace=self.workspace,
            )

    async def pulse(self, seconds: float) -> Pulse:
        """Run the load for a moment, kill it at once, and return when it really started and ended (method 5.2).

        Raises `WorkloadFailed` when the program fails by itself.
        """
        declaration, clock = self.declaration, self.clock
        if declaration.hook is not None:
            level, trigger = self.level, self.trigger
            return _pulse(*await pulse_hooked(declaration, level=level, seconds=seconds, trigger=trigger, clock=clock))
        cpus = await self.trigger.cpus()
        argv = declaration.argv(level=self.level, seconds=math.ceil(seconds) + 1, cpus=cpus, workspace=self.workspace)
        async with self.trigger.start(argv, _ignore, load_environment(declaration)) as execution:
            left_s = seconds - mark_now(clock).since(execution.started)
            ending, time = asyncio.ensure_future(execution.wait()), asyncio.ensure_future(clock.sleep(left_s))
            try:
                await asyncio.wait({ending, time}, return_when=asyncio.FIRST_COMPLETED)
                alone = ending.done()
                execution.kill()
                status, end = await ending
            finally:
                ending.cancel()
                time.cancel()
            # Only a program that ended by itself can have failed; any other was killed above.
            if alone and status != 0:
                cause = f"{declaration.program} ended with exit status {status} in the sync pattern"
                raise WorkloadFailed(f"{cause}: {execution.error_tail}.")
        there = (execution.begun_ns, execution.ended_ns) if isinstance(execution, RemoteExecution) else (None, None)
        return _pulse(execution.started, end, *there)


class HeldLoad:
    """A load that is held in the background, for the length of the context at most."""

    def __init__(self, load: Load, seconds: float) -> None:
        self._clock = load.clock
        self._ending: asyncio.Future[None] | None = None
        self._holding = asyncio.ensure_future(load.hold(seconds))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._ending is not None:
            await ended(self._ending)
        await ended(self._holding)

    def end_in(self, seconds: float) -> None:
        """Stop the load after some time, while something else goes on."""
        self._ending = asyncio.ensure_future(self._end_in(seconds))

    async def end(self) -> None:
        """Stop the load now; no process of it is left when this returns."""
        await ended(self._holding)

    async def _end_in(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
        await self.end()

    @property
    def over(self) -> bool:
        """Return whether the load is no longer held. Raises what the load raised."""
        if self._holding.done():
            self._holding.result()
        return self._holding.done()

    async def during(self, seconds: float) -> None:
        """Let time pass under load. Raises what the load raises."""
        passed = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait({self._holding, passed}, return_when=asyncio.FIRST_COMPLETED)
            if self.over:
                await passed
        finally:
            passed.cancel()

    async def to_its_end(self) -> None:
        """Wait until the load has been held for as long as it was asked to. Raises what the load raises."""
        await asyncio.wait({self._holding})
        self._holding.result()


class OnBarrier(ForwardingTrigger):
    """Starts the first program at an instant of its machine's clock [ns since 1970], all further ones at once."""

    def __init__(self, trigger: Trigger, begin_ns: int) -> None:
        super().__init__(trigger)
        self.first: Execution | None = None
        self._begin_ns = begin_ns

    def start(
        self, argv: Sequence[str], on_line: Callable[[OutputLine], None], environment: Mapping[str, str] | None = None
    ) -> AbstractAsyncContextManager[Execution]:
        """Run a program for the length of the context."""
        if self.first is not None:
            return super().start(argv, on_line, environment)
        return self._first(argv, on_line, environment)

    @asynccontextmanager
    async def _first(
        self, argv: Sequence[str], on_line: Callable[[OutputLine], None], environment: Mapping[str, str] | None
    ) -> AsyncIterator[Execution]:
        async with self._inner.start_at(argv, on_line, environment, begin_ns=self._begin_ns) as execution:
            self.first = execution
            yield execution


async def ended(task: asyncio.Future[Any]) -> None:
    """Cancel a task and wait until it has cleaned up; errors that it then raises are ignored."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()


def _pulse(begin: Mark, end: Mark, begin_there_ns: int | None = None, end_there_ns: int | None = None) -> Pulse:
    return Pulse(
        begin_ns=begin.utc_ns,
        end_ns=end.utc_ns,
        begin_monotonic_ns=begin.monotonic_ns,
        end_monotonic_ns=end.monotonic_ns,
        begin_there_ns=begin_there_ns,
        end_there_ns=end_there_ns,
    )


def _ignore(_: OutputLine) -> None:
    """Ignore the output of a pulse, which is not measured work."""
