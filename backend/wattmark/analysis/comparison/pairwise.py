"""Ratios of one system to many at once: what `comparison.ratio` computes for a pair, as arrays.

A comparison of 240 configurations has 28,680 pairs; one by one their p-values took seconds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray
from wattmark_calibration import mixed_dof, probability_within

from wattmark.analysis.comparison.comparison import FEWEST_DOF, System

Array = NDArray[np.float64]


class Ratios:
    """Systems of known scatter as arrays: one row each, one column for each error that any of them shares."""

    def __init__(self, systems: Sequence[System]) -> None:
        names = sorted({name for system in systems for name in system.shared})
        self._mean = np.array([system.log.mean for system in systems], dtype=np.float64)
        self._u = np.array([system.log.u for system in systems], dtype=np.float64)
        self._dof = np.array([system.log.dof for system in systems], dtype=np.float64)
        self._few = np.array([system.log.units == 2 < system.log.n for system in systems], dtype=bool)
        shape = len(systems), len(names)
        self._shared = np.array(
            [[system.shared.get(name, 0.0) for name in names] for system in systems], dtype=np.float64
        ).reshape(shape)
        self._rectangular = np.array(
            [[name in system.rectangular for name in names] for system in systems], dtype=bool
        ).reshape(shape)

    def p(self, i: int, others: Sequence[int]) -> list[float | None]:
        """Compute the two-sided p-values of "no difference" of system ``i`` and each of others.

        None for a pair whose ratio is exact, which no test is for.
        """
        if not others:
            return []
        j = np.asarray(others)
        log = np.abs(self._mean[i] - self._mean[j])
        left = np.abs(self._shared[i] - self._shared[j])
        limits = np.where(self._rectangular[i] | self._rectangular[j], left, 0.0)
        largest = limits.max(axis=1) if limits.shape[1] else np.zeros(len(j))
        shared = np.sqrt((left**2).sum(axis=1))
        u, dof = self._combined(i, j, shared)
        exact = u == 0
        safe = np.where(exact, 1.0, u)
        rest = np.sqrt(np.maximum(safe**2 - largest**2, 0.0))
        with np.errstate(invalid="ignore"):
            scatter_dof = np.where(np.isfinite(dof), dof * (rest / safe) ** 4, dof)
        free = np.where(scatter_dof >= FEWEST_DOF, mixed_dof(rest, scatter_dof, largest), scatter_dof)
        student = 2 * scipy.special.stdtr(np.clip(dof, 1.0, _MOST_DOF), -log / safe)
        mixed = 1 - probability_within(log, rest, free, largest)
        p = np.where(largest > 0, mixed, student)
        return [None if none else float(value) for none, value in zip(exact, p, strict=True)]

    def _combined(self, i: int, j: NDArray[np.int_], shared: Array) -> tuple[Array, Array]:
        """Combine the scatter of both with what shared errors leave: standard uncertainty and degrees of freedom."""
        own, other = np.broadcast_to(self._u[i], shared.shape), self._u[j]
        scatter = np.hypot(own, other)
        u = np.hypot(scatter, shared)
        scale = np.where(u > 0, u, 1.0)
        welch = _per_dof(own / scale, self._dof[i]) + _per_dof(other / scale, self._dof[j])
        fewest = np.minimum(np.where(own > 0, self._dof[i], np.inf), np.where(other > 0, self._dof[j], np.inf))
        denominator = np.where(self._few[i] | self._few[j], _per_dof(scatter / scale, fewest), welch)
        with np.errstate(divide="ignore"):
            return u, np.where(denominator > 0, 1 / denominator, np.inf)


_MOST_DOF = 1e9


def _per_dof(share: Array, dof: Array) -> Array:
    """Compute the term of a part of the uncertainty in the formula of Welch and Satterthwaite."""
    return np.asarray(share**4 / dof, dtype=np.float64)
