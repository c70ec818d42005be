"""The readings of the last minutes of one channel, in little memory: a thousand meters have thousands of channels."""

from __future__ import annotations

import math
from array import array

SLACK = 64
"""So many points too old may lie in front before they are taken away together."""


class RecentPoints:
    """Keep readings [Unix s, value] of the last ``span_s``, ``most`` of them; None is a gap."""

    def __init__(self, span_s: float, most: int) -> None:
        self._span_s = span_s
        self._most = most
        self._first = 0
        self._t_s, self._value = array("d"), array("d")

    def add(self, t_s: float, value: float | None) -> None:
        """Take a reading and drop those that are too old."""
        self._t_s.append(t_s)
        self._value.append(math.nan if value is None else value)
        self._first = max(self._first, len(self._t_s) - self._most)
        while self._t_s[self._first] < t_s - self._span_s:
            self._first += 1
        if self._first > SLACK:
            del self._t_s[: self._first], self._value[: self._first]
            self._first = 0

    def columns(self) -> tuple[list[float], list[float | None]]:
        """Give instants [Unix s] and values; None where there is a gap."""
        values = self._value[self._first :]
        return self._t_s[self._first :].tolist(), [None if math.isnan(one) else one for one in values]
