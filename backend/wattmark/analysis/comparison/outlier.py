"""Detection of a repeat too far from the others to share their conditions, such as a cold start."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import scipy

SIGNIFICANCE = 0.01
LEAST = 0.02
"""A repeat closer to the others than this is not reported, however equal those are [1]."""


class Outlier(NamedTuple):
    """A repeat by its place, and by how much it lies above the mean of the others [1]."""

    place: int
    above: float


def outlier(values: Sequence[float], least: float = LEAST) -> Outlier | None:
    """Find the repeat that Grubbs' two-sided test rejects at 1 % (NIST handbook, 1.3.5.17.1); None: there is none.

    It is named and still counts: only its maker knows whether something was wrong with it. One that is closer to the
    others than ``least`` [1] is not reported.
    """
    n = len(values)
    if n < 3:
        return None
    mean = math.fsum(values) / n
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    place = max(range(n), key=lambda k: abs(values[k] - mean))
    others = (mean * n - values[place]) / (n - 1)
    if spread == 0 or others == 0 or abs(values[place] / others - 1) < least:
        return None
    t = float(scipy.special.stdtrit(n - 2, 1 - SIGNIFICANCE / (2 * n)))
    most = (n - 1) / math.sqrt(n) * math.sqrt(t**2 / (n - 2 + t**2))
    return Outlier(place, values[place] / others - 1) if abs(values[place] - mean) / spread > most else None
