"""When a daemon's samples were taken, by our clock: from stamps that carry no zone, and from when they arrive. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import pairwise

REMEMBERED = 60
"""Samples that the difference is taken from."""
AGREE_NS = 200_000_000
"""What a sample takes until it arrives may make clocks that agree look this far apart [ns]."""


class DaemonClock:
    """Follows the least delay of the last samples: a sample may come late, and never early.

    Where a stamp is not later than the one before, the daemon's clock was put back (NTP, the end of summer time): the
    samples go on by the interval, and the difference is learnt anew.
    """

    def __init__(self, interval_ns: int) -> None:
        self._interval_ns = interval_ns
        self._delays: deque[int] = deque(maxlen=REMEMBERED)
        self._newest: tuple[int, int] | None = None
        """Stamp and time of the newest sample [ns]."""
        self.put_back_ns = 0
        """By how much the daemon's clock was put back, all times together [ns]."""

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

    def place(self, stamps: Sequence[int], arrived_ns: int | None) -> list[int]:
        """Return when the samples of one reply were taken [UTC ns], each later than the one before.

        ``arrived_ns`` is when the newest of them arrived; None where that says nothing about its stamp.
        """
        times: list[int] = []
        begin = 0
        for end in (*self._set_back(stamps), len(stamps)):
            if begin < end == len(stamps) and arrived_ns is not None:
                self._delays.append(arrived_ns - stamps[-1])
            times += map(self._follow, stamps[begin:end])
            if end < len(stamps):
                self._put_back(stamps[end])
            begin = end
        return times

    def _set_back(self, stamps: Sequence[int]) -> list[int]:
        """List the places of the stamps that are not later than the one before."""
        newest = [] if self._newest is None else [self._newest[0]]
        shift = 1 - len(newest)
        return [n + shift for n, (early, late) in enumerate(pairwise([*newest, *stamps])) if late <= early]

    def _put_back(self, stamp_ns: int) -> None:
        """Go on by the interval from the newest sample."""
        if self._newest is None:
            return
        newest_stamp_ns, newest_ns = self._newest
        self.put_back_ns += newest_stamp_ns + self._interval_ns - stamp_ns
        self._delays.clear()
        self._delays.append(newest_ns + self._interval_ns - stamp_ns)

    def _follow(self, stamp_ns: int) -> int:
        """Return when a sample was taken; no two at once, though the difference may have been learnt better."""
        t_ns = stamp_ns + self.offset_ns
        if self._newest is not None:
            t_ns = max(t_ns, self._newest[1] + 1)
        self._newest = stamp_ns, t_ns
        return t_ns
