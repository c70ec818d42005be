"""Instants, stamped with both clocks."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Mark:
    """An instant on the UTC clock, to join it with readings, and on the monotonic clock, for durations [ns]."""

    utc_ns: int
    monotonic_ns: int

    def since(self, earlier: Mark) -> float:
        """Compute the duration since an earlier mark [s], by the monotonic clock."""
        return (self.monotonic_ns - earlier.monotonic_ns) / 1e9

    def clock_step_s(self, earlier: Mark) -> float:
        """Compute by how much the UTC clock ran away from the monotonic one since an earlier mark [s]."""
        return (self.utc_ns - earlier.utc_ns) / 1e9 - self.since(earlier)


class Clock(Protocol):
    """Tells the time and waits."""

    def now(self) -> Mark:
        """Stamp this instant; may be called from any thread."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The clocks of this machine."""

    def now(self) -> Mark:
        """Stamp this instant."""
        return Mark(time.time_ns(), time.monotonic_ns())

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
