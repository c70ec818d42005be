"""Repeats of whole runs: the type A term of their mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from wattmark_calibration import welch_satterthwaite


@dataclass(frozen=True, slots=True)
class Repeats:
    """Mean of m runs with its type A uncertainty; ``u`` None: one run whose own scatter is not known."""

    n: int
    mean: float
    u: float | None
    dof: float

    @property
    def sd(self) -> float:
        """Compute the standard deviation that one run would show [unit of the mean]; 0 where u is not known."""
        return 0.0 if self.u is None else self.u * math.sqrt(self.n)


def repeat_mean(values: Sequence[float], within_u: Sequence[float | None], within_dof: Sequence[float]) -> Repeats:
    """Average repeats (method 2.2) [unit of the values].

    u = max(s/sqrt(m) with m - 1 degrees of freedom, sqrt(mean u_within^2 / m)): the scatter between runs already
    holds the scatter within them, so the two are not added, and a lucky agreement of few runs is not believed.
    """
    m = len(values)
    mean = math.fsum(values) / m
    between = float(np.std(values, ddof=1)) / math.sqrt(m) if m > 1 else None
    within, dof = _within(within_u, within_dof)
    if between is None:
        return Repeats(m, mean, within, dof)
    if within is None or between >= within:
        return Repeats(m, mean, between, m - 1.0)
    return Repeats(m, mean, within, dof)


def _within(within_u: Sequence[float | None], within_dof: Sequence[float]) -> tuple[float | None, float]:
    """Combine the runs' own scatter; None where that of any run is not known."""
    known = [u for u in within_u if u is not None]
    if len(known) < len(within_u):
        return None, math.inf
    m = len(known)
    return math.sqrt(math.fsum(u * u for u in known)) / m, welch_satterthwaite(known, within_dof)
