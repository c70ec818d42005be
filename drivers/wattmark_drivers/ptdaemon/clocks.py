"""When a daemon's samples were taken, by our clock: from stamps that carry no zone, and from when they arrive. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

REMEMBERED = 60
"""Samples that the difference is taken from."""
AGREE_NS = 200_000_000
"""What a sample takes until it arrives may make clocks that agree look this far apart [ns]."""
SURE = 4
"""So many samples in a row must come later by what two stamps were too close, until the clock was put back for sure."""


@dataclass(slots=True)
class _Doubt:
    """Stamps were too close: either the clock was put back by that, or a sample was taken early."""

    short_ns: int
    """By how much they were too close [ns]."""
    least_ns: int
    """The least delay before [ns]."""
    delays: list[int] = field(default_factory=list)
    """Those since [ns]."""

    def is_ended_by(self, delay_ns: int) -> bool:
        """Return whether a sample came too soon after its stamp for a clock that was put back."""
        return delay_ns < self.least_ns + self.short_ns // 2


class DaemonClock:
    """Follows the least delay of the last samples: a sample may come late, and never early.

    Where a stamp is not later than the one before, the daemon's clock was put back (NTP, the end of summer time): the
    samples go on by the interval, and the difference is learnt anew. Where it is later by less than the interval, that
    is found out from the samples that follow, and until then a stamp may be wrong by what was missing. A clock that was
    put ahead is known by a sample that comes sooner than any can; where several came together, it was before the one
    that is furthest from its predecessor.
    """

    def __init__(self, interval_ns: int) -> None:
        self._interval_ns = interval_ns
        self._delays: deque[int] = deque(maxlen=REMEMBERED)
        self._newest: tuple[int, int] | None = None
        """Stamp and time of the newest sample [ns]."""
        self._doubt: _Doubt | None = None
        self.put_back_ns = 0
        """By how much the daemon's clock was put back, all times together [ns]."""

    @property
    def offset_ns(self) -> int:
        """Return what to add to the daemon's stamps [ns]; 0 where both clocks may agree."""
        least = min(self._delays, default=0)
        return 0 if -AGREE_NS <= least <= AGREE_NS else least

    @property
    def u_ns(self) -> int:
        """Return by how much a stamp may be wrong [ns]: what the delay of the quickest sample may hold, or a doubt."""
        least = min(self._delays, default=AGREE_NS)
        usual_ns = abs(least) if self.offset_ns == 0 else AGREE_NS // 2
        return usual_ns if self._doubt is None else max(usual_ns, self._doubt.short_ns)

    def place(self, stamps: Sequence[int], arrived_ns: int, *, missed: bool = False) -> list[int]:
        """Return when the samples of one reply were taken [UTC ns], each later than the one before.

        ``arrived_ns`` is when the newest of them arrived; ``missed``: that one did not come in its time, so that it was
        told late, however quick the line.
        """
        delay_ns = arrived_ns - stamps[-1]
        spacings = self._spacings(stamps)
        set_back = {place for place, apart_ns in spacings.items() if apart_ns <= 0}
        put_ahead = set() if set_back else self._put_ahead(spacings, delay_ns)
        self._look_closer(spacings)
        times: list[int] = []
        begin = 0
        for end in (*sorted(set_back | put_ahead), len(stamps)):
            if begin < end == len(stamps):
                self._learn(delay_ns, missed=missed)
            times += map(self._follow, stamps[begin:end])
            if end in set_back:
                self._put_back(stamps[end])
            begin = end
        return times

    def _spacings(self, stamps: Sequence[int]) -> Mapping[int, int]:
        """Return by its place how far each stamp is from the one before it [ns]."""
        before = [stamps[0] if self._newest is None else self._newest[0], *stamps[:-1]]
        first = 1 if self._newest is None else 0
        return {place: stamps[place] - before[place] for place in range(first, len(stamps))}

    def _put_ahead(self, spacings: Mapping[int, int], delay_ns: int) -> set[int]:
        """Return the place of the first stamp after the clock was put ahead; empty where it was not, or is unknown."""
        if not self._delays or not spacings:
            return set()
        ahead_ns = min(self._delays) - delay_ns
        furthest = max(spacings, key=lambda place: spacings[place])
        leaps = spacings[furthest] - self._interval_ns >= ahead_ns // 2
        return {furthest} if ahead_ns > AGREE_NS and leaps else set()

    def _look_closer(self, spacings: Mapping[int, int]) -> None:
        """Doubt the clock where stamps are closer than their interval by more than samples are late."""
        closest_ns = min((apart for apart in spacings.values() if apart > 0), default=self._interval_ns)
        short_ns = self._interval_ns - closest_ns
        if self._doubt is None and self._delays and short_ns > AGREE_NS:
            self._doubt = _Doubt(short_ns, min(self._delays))

    def _learn(self, delay_ns: int, *, missed: bool) -> None:
        """Take over the delay of the newest sample; that of a missed one only where it proves a clock put ahead."""
        if missed and not (self._delays and delay_ns < min(self._delays) - AGREE_NS):
            return
        self._delays.append(delay_ns)
        if self._doubt is None:
            return
        self._doubt.delays.append(delay_ns)
        if self._doubt.is_ended_by(delay_ns):
            self._doubt = None
        elif len(self._doubt.delays) == SURE:
            self.put_back_ns += self._doubt.short_ns
            self._delays = deque(self._doubt.delays, maxlen=REMEMBERED)
            self._doubt = None

    def _put_back(self, stamp_ns: int) -> None:
        """Go on by the interval from the newest sample."""
        if self._newest is None:
            return
        newest_stamp_ns, newest_ns = self._newest
        self.put_back_ns += newest_stamp_ns + self._interval_ns - stamp_ns
        self._delays.clear()
        self._delays.append(newest_ns + self._interval_ns - stamp_ns)
        self._doubt = None

    def _follow(self, stamp_ns: int) -> int:
        """Return when a sample was taken; no two at once, though the difference may have been learnt better."""
        t_ns = stamp_ns + self.offset_ns
        if self._newest is not None:
            t_ns = max(t_ns, self._newest[1] + 1)
        self._newest = stamp_ns, t_ns
        return t_ns
