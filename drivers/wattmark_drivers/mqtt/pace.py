"""How often a device publishes, as it was seen."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from statistics import median

from wattmark_drivers.meter import MeasuredPace

MOST_INTERVALS = 20


class PaceWatch:
    """Follows the arrivals of readings since a device has been listened to."""

    def __init__(self, since_ns: int, advice: str) -> None:
        self._since_ns = since_ns
        self._advice = advice
        self._arrived_ns: deque[int] = deque(maxlen=MOST_INTERVALS + 1)
        self._newest_ns: int | None = None
        self._count = 0

    def add(self, arrived_ns: int, utc_ns: int) -> None:
        """Record a reading that arrived at an instant [monotonic ns], which is another one in UTC [ns]."""
        self._arrived_ns.append(arrived_ns)
        self._newest_ns = utc_ns
        self._count += 1

    @property
    def interval_s(self) -> float | None:
        """Return the median time between readings [s]; None before the second one."""
        if len(self._arrived_ns) < 2:
            return None
        return median((b - a) / 1e9 for a, b in pairwise(self._arrived_ns))

    @property
    def measured(self) -> MeasuredPace:
        """Return what has been seen so far."""
        return MeasuredPace(self.interval_s, self._count, self._since_ns, self._newest_ns, self._advice)
