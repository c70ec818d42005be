"""The kind of a column by the course of its numbers: a running total only rises, and a power never does for long."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError

_FEWEST = 100
"""Readings among which a power falls at least once."""
_FEWEST_RISES = 50
_FEWEST_STEPS = 8
_FEWEST_ADDED = 8
_EQUAL = 2e-3
"""A sum may be rounded."""
_LAST = 3
"""Lines below a table: a sum, a mean, an extreme."""
_OFTEN = 0.1
"""Share of the steps of a running total in which it may begin again."""


class ColumnShape:
    """How often the numbers of a column rise and fall, block by block."""

    def __init__(self) -> None:
        self._latest: float | None = None
        self.readings = 0
        self.rises = 0
        self.falls = 0
        self._sum = 0.0
        self._last: list[float] = []

    def add(self, values: NDArray[np.float64]) -> None:
        """Take note of numbers that follow the others; what is not finite is passed over."""
        finite = values[np.isfinite(values)]
        if not len(finite):
            return
        steps = np.diff(finite if self._latest is None else np.concatenate(([self._latest], finite)))
        self._latest = float(finite[-1])
        self.readings += len(finite)
        self._sum += float(finite.sum())
        self._last = [*self._last, *finite[-_LAST:].tolist()][-_LAST:]
        self.rises += int(np.count_nonzero(steps > 0))
        self.falls += int(np.count_nonzero(steps < 0))

    @property
    def only_rises(self) -> bool:
        """Return whether only a running total behaves like this."""
        return self.readings > _FEWEST and self.rises >= _FEWEST_RISES and self.falls == 0

    def require_power(self, whose: str, remedy: str) -> None:
        """Refuse the power of a log that is a running total. Raises `InputError`."""
        if self.only_rises:
            raise InputError(
                f"{whose} never falls in {self.readings} lines and rises in {self.rises}: it is a running total, such "
                "as energy, or a maximum that is held.",
                remedy,
            )

    @property
    def ends_with_sum(self) -> bool:
        """Return whether one of the last numbers is the sum of those before it, as in a line below a table."""
        before = self._sum
        for place, value in enumerate(reversed(self._last)):
            before -= value
            if self.readings - place >= _FEWEST_ADDED and value > 0 and abs(before - value) <= _EQUAL * value:
                return True
        return False

    @property
    def never_moves(self) -> bool:
        """Return whether all of many numbers are the same."""
        return self.readings > _FEWEST and self.rises == 0 and self.falls == 0

    @property
    def often_falls(self) -> bool:
        """Return whether no running total behaves like this, however often it is reset."""
        steps = self.readings - 1
        return steps >= _FEWEST_STEPS and self.falls > max(_OFTEN * steps, 1)
