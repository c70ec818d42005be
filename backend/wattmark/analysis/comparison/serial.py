"""Whether repeats that follow each other in time are alike, over the runs of several systems together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from wattmark.analysis.comparison.course import Course

FEWEST_TO_TELL = 10
"""Fewest runs of all systems together: of ten with a correlation of 0.8 the test detects a third to two thirds."""
_MOST_RATIO = 4.0
"""No ratio is larger."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Correlation of neighbours in time about the means of their systems [1], and the p-value of "independent"."""

    correlation: float
    p: float


def neighbours_alike(courses: Sequence[Course]) -> Alike | None:
    """Test runs in the order of their time for positive correlation by von Neumann's ratio, beside the systems' means.

    None with fewer than ten runs, without scatter, and where two runs state one time, so that they have no order.
    """
    repeated = [of for of in courses if of.n > 1]
    times_s = np.array([t for of in repeated for t in of.times_s])
    if len(times_s) < FEWEST_TO_TELL or len(np.unique(times_s)) < len(times_s):
        return None
    order = np.argsort(times_s)
    member = np.repeat(np.arange(len(repeated)), [of.n for of in repeated])[order]
    apart = np.concatenate([np.array(of.values) - np.mean(of.values) for of in repeated])[order]
    total = float(apart @ apart)
    if total <= 0:
        return None
    ratio = float(np.sum(np.diff(apart) ** 2)) / total
    return Alike(float(apart[1:] @ apart[:-1]) / total, _below(ratio, member))


def _below(ratio: float, member: NDArray[np.intp]) -> float:
    """Compute the probability of a smaller ratio of independent values, by the beta distribution of its two moments.

    Durbin and Watson, Biometrika 38 (1951) 159. ``member`` is the system of each run, in the order of time. The squared
    steps are a form A of the values, M takes the means off: the moments follow from the traces of MA and (MA)^2.
    """
    from scipy import sparse

    n, size = len(member), np.bincount(member)
    means = sparse.csr_array((1 / np.sqrt(size[member]), (np.arange(n), member)), shape=(n, len(size)))
    steps = means[1:] - means[:-1]
    free = n - len(size)
    squares = float(steps.multiply(steps).sum())
    twice = 2 * (squares - float(steps[1:].multiply(steps[:-1]).sum()))
    trace = 2 * (n - 1) - squares
    trace_of_square = 6 * n - 8 - 2 * twice + float(sparse.linalg.norm(steps.T @ steps)) ** 2
    mean = trace / free
    variance = 2 * (trace_of_square - trace * mean) / (free * (free + 2))
    share = mean / _MOST_RATIO
    weight = share * (1 - share) * _MOST_RATIO**2 / variance - 1
    return float(scipy.special.betainc(share * weight, (1 - share) * weight, min(ratio / _MOST_RATIO, 1.0)))
