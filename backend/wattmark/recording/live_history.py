"""The last day of one live channel in bounded memory: least, greatest and mean value of every second and minute."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from typing import Any

from wattmark.recording.views import Columns

LENGTHS = ((1.0, 3600), (60.0, 1440))
"""Width of a bin [s] and how many are kept: seconds for an hour, minutes for a day; up to 220 kB a channel."""
SLACK = 8
"""A ring drops old bins when they are more than this part of its length, because dropping moves all others."""


class _Ring:
    """Bins of one width in order of time; those a whole length behind the newest are dropped."""

    def __init__(self, width_s: float, length: int) -> None:
        self.width_s = width_s
        self._length = length
        self._number, self._n = array("q"), array("I")
        self._minimum, self._maximum, self._total = array("d"), array("d"), array("d")

    def add(self, t_s: float, value: float) -> None:
        number = math.floor(t_s / self.width_s)
        place = len(self._number) - 1
        if place < 0 or self._number[place] != number:
            place = self._bin(number, value)
        if place < 0:
            return
        self._n[place] += 1
        self._total[place] += value
        if value < self._minimum[place]:
            self._minimum[place] = value
        elif value > self._maximum[place]:
            self._maximum[place] = value

    def _bin(self, number: int, value: float) -> int:
        """Find the place of a bin, made where there is none; -1 where it is too old."""
        if self._number and number <= self._number[-1] - self._length:
            return -1
        place = bisect_left(self._number, number)
        if place < len(self._number) and self._number[place] == number:
            return place
        fresh = (number, 0, value, value, 0.0)
        for column, first in zip(self._columns, fresh, strict=True):
            column.insert(place, first)
        dropped = bisect_right(self._number, self._number[-1] - self._length)
        if dropped > self._length // SLACK:
            for column in self._columns:
                del column[:dropped]
            place -= dropped
        return place

    @property
    def _columns(self) -> tuple[array[Any], ...]:
        return self._number, self._n, self._minimum, self._maximum, self._total

    def reaches(self, begin_s: float, now_s: float) -> bool:
        """Return whether everything since ``begin_s`` is still kept."""
        return begin_s >= now_s - self.width_s * (self._length - 1)

    def columns(self, begin_s: float, end_s: float, points: int) -> Columns:
        """Join bins of a stretch to at most ``points`` columns."""
        first, last = math.floor(begin_s / self.width_s), math.floor(end_s / self.width_s)
        first = max(first, last - self._length + 1)
        joined = max(1, math.ceil((last - first + 1) / points))
        groups = (
            (number, self._held(number, min(number + joined, last + 1))) for number in range(first, last + 1, joined)
        )
        filled = [(number, places) for number, places in groups if places]
        return Columns(
            width_s=joined * self.width_s,
            t_s=[(number + joined / 2) * self.width_s for number, _ in filled],
            minimum=[min(self._minimum[places.start : places.stop]) for _, places in filled],
            maximum=[max(self._maximum[places.start : places.stop]) for _, places in filled],
            mean=[
                sum(self._total[places.start : places.stop]) / sum(self._n[places.start : places.stop])
                for _, places in filled
            ],
        )

    def _held(self, begin: int, end: int) -> range:
        """Return the places of the bins with begin <= number < end."""
        return range(bisect_left(self._number, begin), bisect_left(self._number, end))


class LiveHistory:
    """Keep a channel's readings as bins, finest first."""

    def __init__(self) -> None:
        self._rings = [_Ring(width_s, length) for width_s, length in LENGTHS]

    def add(self, t_s: float, value: float) -> None:
        """Add a usable reading [Unix s]; one older than the history is ignored."""
        for ring in self._rings:
            ring.add(t_s, value)

    def between(self, begin_s: float, end_s: float, now_s: float, points: int) -> Columns:
        """Return a stretch of time [Unix s] in at most ``points`` columns, from the finest bins that reach so far."""
        ring = next((candidate for candidate in self._rings if candidate.reaches(begin_s, now_s)), self._rings[-1])
        return ring.columns(begin_s, end_s, points)
