"""Time as the drivers see it: UTC for stamps, a monotonic clock for durations, sleeping."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Protocol

from wattmark_drivers.wheel import wheel

_UNINTERRUPTED = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Linux's CLOCK_MONOTONIC does not count while the machine is suspended (clock_gettime(2)): after that a reading of
the evening before would look a second old."""


def uninterrupted_ns() -> int:
    """Read a clock that never steps, and goes on while the machine is suspended [ns]."""
    return time.clock_gettime_ns(_UNINTERRUPTED)


class Clock(Protocol):
    """A source of time; tests bring their own."""

    def utc_ns(self) -> int:
        """Read UTC [ns since 1970]."""
        ...

    def monotonic_ns(self) -> int:
        """Read a clock that never steps, and goes on while the machine is suspended [ns]."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait [s]."""
        ...


class SystemClock:
    """The clocks of this machine."""

    def utc_ns(self) -> int:
        return time.time_ns()

    def monotonic_ns(self) -> int:
        return uninterrupted_ns()

    async def sleep(self, seconds: float) -> None:
        """Wait [s]; what waits shares one timer of the event loop."""
        if seconds > 0:
            await wheel().sleep_until(time.monotonic_ns() + int(seconds * 1e9))
        else:
            await asyncio.sleep(0)


@dataclass(frozen=True, slots=True)
class Stamp:
    """When a value was taken: midpoint between request and answer [UTC ns], and half the round trip [ns]."""

    t_ns: int
    u_t_ns: int


def stamp_since(clock: Clock, asked_ns: int) -> Stamp:
    """Compute the stamp of a reply received now to a request of ``asked_ns`` [monotonic ns]."""
    return stamp_between(clock, asked_ns, clock.monotonic_ns())


def stamp_between(clock: Clock, asked_ns: int, answered_ns: int) -> Stamp:
    """Compute the stamp of a reply received at ``answered_ns`` to a request of ``asked_ns`` [monotonic ns].

    A busy machine may stop this process between readings of its two clocks, so UTC is read between two readings of the
    monotonic one, and half of what lies between them is part of the uncertainty.
    """
    half_ns = (answered_ns - asked_ns) // 2
    before_ns, utc_ns, after_ns = clock.monotonic_ns(), clock.utc_ns(), clock.monotonic_ns()
    between_ns = (after_ns - before_ns) // 2
    return Stamp(utc_ns - (before_ns + between_ns - answered_ns) - half_ns, half_ns + between_ns)
