"""Instants, stamped with both clocks."""

from __future__ import annotations

from dataclasses import dataclass

from wattmark_drivers.clock import Clock


@dataclass(frozen=True, slots=True)
class Mark:
    """An instant on the UTC clock, to join it with readings, and on the monotonic clock, for durations [ns]."""

    utc_ns: int
    monotonic_ns: int

    def since(self, earlier: Mark) -> float:
        """Compute the duration since an earlier mark [s], by the monotonic clock."""
        return (self.monotonic_ns - earlier.monotonic_ns) / 1e9

    def earlier(self, seconds: float) -> Mark:
        """Return the instant that is some time before [s], by both clocks."""
        before_ns = round(seconds * 1e9)
        return Mark(self.utc_ns - before_ns, self.monotonic_ns - before_ns)

    def clock_step_s(self, earlier: Mark) -> float:
        """Compute by how much the UTC clock drifted from the monotonic one since an earlier mark [s]."""
        return (self.utc_ns - earlier.utc_ns) / 1e9 - self.since(earlier)


def mark_now(clock: Clock) -> Mark:
    """Return a mark of this instant; safe from any thread."""
    return Mark(clock.utc_ns(), clock.monotonic_ns())
