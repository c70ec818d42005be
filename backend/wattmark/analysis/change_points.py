"""Steps of the level inside a series, by binary segmentation with a squared-error cost."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
MIN_SIZE = 5
MOST_STEPS = 100


def change_points(x: Array, penalty: float | None = None) -> list[int]:
    """Find where the mean changes; each index begins a new segment of at least five samples.

    Binary segmentation, cost l2 (Scott and Knott 1974; cost and penalty as in Killick 2012). ``penalty`` None:
    3 sigma^2 ln n with sigma from the differences of neighbours, so that a step does not hide itself.
    """
    if len(x) < 2 * MIN_SIZE:
        return []
    limit = 3 * _noise(x) ** 2 * math.log(len(x)) if penalty is None else penalty
    total = np.concatenate(([0.0], np.cumsum(x - x.mean())))
    found: list[int] = []
    open_parts = [(0, len(x))]
    while open_parts and len(found) < MOST_STEPS:
        begin, end = open_parts.pop()
        split, gain = _best_split(total, begin, end)
        if gain > limit:
            found.append(split)
            open_parts += [(begin, split), (split, end)]
    return sorted(found)


def largest_step(x: Array, points: list[int]) -> float:
    """Compute the largest difference of mean between neighbouring segments [unit of x]; 0 without change points."""
    means = [float(part.mean()) for part in np.split(x, points)]
    return max((abs(b - a) for a, b in itertools.pairwise(means)), default=0.0)


def _noise(x: Array) -> float:
    """Estimate the standard deviation of the noise from the median of neighbours' differences."""
    step = np.diff(x)
    return float(1.4826 * np.median(np.abs(step - np.median(step))) / math.sqrt(2.0))


def _best_split(total: Array, begin: int, end: int) -> tuple[int, float]:
    """Find the split that lowers the squared error most, and by how much."""
    split = np.arange(begin + MIN_SIZE, end - MIN_SIZE + 1)
    if len(split) == 0:
        return begin, 0.0
    before, after = split - begin, end - split
    left = (total[split] - total[begin]) / before
    right = (total[end] - total[split]) / after
    gain = before * after / (end - begin) * (left - right) ** 2
    best = int(np.argmax(gain))
    return int(split[best]), float(gain[best])
