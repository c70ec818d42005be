"""The last day of one live channel in bounded memory: least, greatest and mean value of every second and minute."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

LENGTHS = ((1.0, 3600), (60.0, 1440))
"""Width of a bin [s] and how many are kept: seconds for an hour, minutes for a day; 250 kB a channel."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Spans of equal width [s] by the middle of each [Unix s]; a span without a usable reading is left out."""

    width_s: float
    t_s: list[float]
    minimum: list[float]
    maximum: list[float]
    mean: list[float]


class _Ring:
    """Bins of one width; a bin takes the place of the one that lies a whole length before it."""

    def __init__(self, width_s: float, length: int) -> None:
        self.width_s = width_s
        self._length = length
        self._number = array("q", bytes(8 * length))
        self._minimum, self._maximum, self._total, self._n = (array("d", bytes(8 * length)) for _ in range(4))

    def add(self, t_s: float, value: float) -> None:
        number = math.floor(t_s / self.width_s)
        at = number % self._length
        if self._number[at] > number:
            return
        if self._number[at] < number or self._n[at] == 0:
            self._number[at], self._n[at], self._total[at] = number, 0.0, 0.0
            self._minimum[at] = self._maximum[at] = value
        self._n[at] += 1
        self._total[at] += value
        if value < self._minimum[at]:
            self._minimum[at] = value
        elif value > self._maximum[at]:
            self._maximum[at] = value

    def reaches(self, begin_s: float, now_s: float) -> bool:
        """Tell whether everything since ``begin_s`` is still kept."""
        return begin_s >= now_s - self.width_s * (self._length - 1)

    def columns(self, begin_s: float, end_s: float, points: int) -> Columns:
        """Join bins of a stretch to at most ``points`` columns."""
        first, last = math.floor(begin_s / self.width_s), math.floor(end_s / self.width_s)
        first = max(first, last - self._length + 1)
        joined = max(1, math.ceil((last - first + 1) / points))
        groups = (range(number, min(number + joined, last + 1)) for number in range(first, last + 1, joined))
        found = [(group[0], held) for group in groups if (held := self._held(group))]
        return Columns(
            joined * self.width_s,
            [(number + joined / 2) * self.width_s for number, _ in found],
            [min(self._minimum[at] for at in held) for _, held in found],
            [max(self._maximum[at] for at in held) for _, held in found],
            [sum(self._total[at] for at in held) / sum(self._n[at] for at in held) for _, held in found],
        )

    def _held(self, numbers: Sequence[int]) -> list[int]:
        places = ((number, number % self._length) for number in numbers)
        return [at for number, at in places if self._number[at] == number and self._n[at] > 0]


class LiveHistory:
    """Keep a channel's readings as bins, finest first."""

    def __init__(self) -> None:
        self._rings = [_Ring(width_s, length) for width_s, length in LENGTHS]

    def add(self, t_s: float, value: float) -> None:
        """Take a usable reading [Unix s]; one older than what is kept is passed over."""
        for ring in self._rings:
            ring.add(t_s, value)

    def between(self, begin_s: float, end_s: float, now_s: float, points: int) -> Columns:
        """Give a stretch of time [Unix s] in at most ``points`` columns, from the finest bins that reach back to it."""
        ring = next((one for one in self._rings if one.reaches(begin_s, now_s)), self._rings[-1])
        return ring.columns(begin_s, end_s, points)
