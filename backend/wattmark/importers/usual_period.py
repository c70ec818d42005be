"""The time that usually passes between two readings of a log, or of a part of it: what a silence is held against."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LONGEST_PERIOD_S = 1e7
"""What the record of a meter holds at most; readings that lie further apart are no log of anything."""
_SHORTEST_S = 1e-3


class UsualPeriod:
    """The median step between the stamps of a series, the lower of two, which silences and late readings do not move.

    Of each block the median is kept, and of these the median by the number of their steps.
    """

    def __init__(self) -> None:
        self._latest_ns: int | None = None
        self._blocks: list[tuple[int, int]] = []
        """Median step [ns] and number of steps of each block."""

    def add(self, t_ns: NDArray[np.int64]) -> None:
        """Take note of stamps that follow the others."""
        if not len(t_ns):
            return
        before = t_ns[:1] if self._latest_ns is None else np.array([self._latest_ns], np.int64)
        steps = np.diff(np.concatenate((before, t_ns)))
        self._latest_ns = int(t_ns[-1])
        steps = steps[steps > 0]
        if len(steps):
            middle = (len(steps) - 1) // 2
            self._blocks.append((int(np.partition(steps, middle)[middle]), len(steps)))

    @property
    def period_s(self) -> float | None:
        """Return the usual time between two readings [s], as the record of a meter holds it; None: there are no two."""
        if not self._blocks:
            return None
        blocks = sorted(self._blocks)
        counted = np.cumsum([count for _, count in blocks])
        step_ns, _ = blocks[int(np.searchsorted(counted, counted[-1] / 2))]
        return as_period_s(step_ns / 1e9)


def as_period_s(step_s: float) -> float:
    """Round and limit a time between readings as the record of a meter holds it [s]."""
    return round(min(max(step_s, _SHORTEST_S), LONGEST_PERIOD_S), 3)
