"""Meters that would be added up although one of them measured what the others did: a total beside its parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_FEWEST_SPANS = 5
_KEPT = 0.95
"""Share of the spans in which a total is the sum of its parts."""
_APART = 0.002
"""By how much it may differ from them, beside what its digits leave open [1]."""
_MOST_OPEN = 0.02
"""Digits that leave more of a total open than this prove nothing [1]."""
_LARGEST_PART = 0.98
"""A part that is more of the total leaves nothing for the others [1]."""


def total_of_others(values: NDArray[np.float64], half_digits: float = 0.0) -> int | None:
    """Return which meter is the sum of all others in every span of time, by its column; None: there is none.

    ``values`` are power or energy, a row for each span and a column for each meter; ``half_digits`` are what the
    digits of all meters together leave open.
    """
    values = values[np.isfinite(values).all(axis=1)]
    if len(values) < _FEWEST_SPANS or values.shape[1] < 3:
        return None
    means = values.mean(axis=0)
    total = int(means.argmax())
    whole, of_others = values[:, total], np.delete(values, total, axis=1).sum(axis=1)
    largest = float(np.delete(means, total).max())
    if means[total] <= 0 or half_digits > _MOST_OPEN * means[total] or largest > _LARGEST_PART * means[total]:
        return None
    near = np.abs(whole - of_others) <= _APART * np.abs(whole) + half_digits
    return total if np.count_nonzero(near) >= _KEPT * len(near) else None
