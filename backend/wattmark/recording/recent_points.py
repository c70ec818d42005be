"""The readings of the last minutes of one channel, in little memory: a thousand meters have thousands of channels."""

from __future__ import annotations

import math
from array import array

SLACK = 16
"""So many points too old may lie in front before they are taken away together."""


class RecentPoints:
    """Keep readings [Unix s, value] of the last ``span_s``, ``most`` of them; None is a gap."""

    __slots__ = ("_first", "_span_s", "_t_s", "_value", "most")

    def __init__(self, span_s: float, most: int) -> None:
        self._span_s = span_s
        self.most = most
        self._first = 0
        self._t_s, self._value = array("d"), array("d")

    def add(self, t_s: float, value: float) -> None:
        """Take a reading, NaN for a gap, and drop those that are too old."""
        stamps = self._t_s
        stamps.append(t_s)
        self._value.append(value)
        first = len(stamps) - self.most
        if first < self._first:
            first = self._first
        oldest_s = t_s - self._span_s
        while stamps[first] < oldest_s:
            first += 1
        if first > SLACK:
            del stamps[:first], self._value[:first]
            first = 0
        self._first = first

    def columns(self, newest: int | None = None) -> tuple[list[float], list[float | None]]:
        """Return instants [Unix s] and values, None where there is a gap; all that are kept, or the newest of them."""
        first = self._first if newest is None else max(self._first, len(self._t_s) - newest)
        return self._t_s[first:].tolist(), [None if math.isnan(one) else one for one in self._value[first:]]
