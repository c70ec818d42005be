"""A workload at a level on its machine: held for a time, or in a short pulse."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Self

from wattmark_drivers.clock import Clock

from wattmark.campaigns.sync_pattern import pulse
from wattmark.runs.record import Pulse
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.hold import hold_load
from wattmark.workloads.trigger import Trigger


@dataclass(frozen=True, slots=True)
class Load:
    """What is started, at which level and where; ``workspace`` is the folder with its files."""

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
        """Run the load for a moment and tell when it really began and ended. Raises `WorkloadFailed`."""
        return await pulse(
            self.declaration,
            level=self.level,
            seconds=seconds,
            trigger=self.trigger,
            clock=self.clock,
            workspace=self.workspace,
        )


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
        """End the load after some time, while something else goes on."""
        self._ending = asyncio.ensure_future(self._end_in(seconds))

    async def end(self) -> None:
        """End the load now; nothing of it is left when this returns."""
        await ended(self._holding)

    async def _end_in(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
        await self.end()

    @property
    def over(self) -> bool:
        """Tell whether the load is no longer held. Raises what the load raised."""
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


async def ended(task: asyncio.Future[Any]) -> None:
    """Cancel a task and wait until it has cleaned up; what it raises then matters no more."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()
