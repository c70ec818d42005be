"""How far a daemon's clock is from this machine's, from when its samples arrive. Pure."""

from __future__ import annotations

from collections import deque

REMEMBERED = 60
"""Samples that the difference is taken from."""
AGREE_NS = 200_000_000
"""What a sample takes until it arrives may make clocks that agree look this far apart [ns]."""


class ClockDifference:
    """Follows the least delay of the last samples: a sample may come late, and never early."""

    def __init__(self) -> None:
        self._delays: deque[int] = deque(maxlen=REMEMBERED)

    def note(self, stamp_ns: int, arrived_ns: int) -> None:
        """Take the stamp of a sample and its arrival."""
        self._delays.append(arrived_ns - stamp_ns)

    @property
    def offset_ns(self) -> int:
        """Return what to add to the daemon's stamps [ns]; 0 where both clocks may agree."""
        least = min(self._delays, default=0)
        return 0 if -AGREE_NS <= least <= AGREE_NS else least

    @property
    def u_ns(self) -> int:
        """Return by how much a stamp may be wrong [ns]: what the delay of the quickest sample may hold."""
        least = min(self._delays, default=AGREE_NS)
        return abs(least) if self.offset_ns == 0 else AGREE_NS // 2
