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
        nowhere = (0, 0.0, 0.0, 0.0, 0.0, 0.0)
        courses = [
            nowhere if c is None else (c.n, c.mean_s, c.reach_s, c.sxx, c.sxy, c.syy)
            for c in (system.course for system in systems)
        ]
        self._course = np.array(courses, dtype=np.float64).reshape(len(systems), 6).T

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
        trend, trend_dof = self._trend(i, j)
        scatter = np.hypot(np.hypot(own, other), trend)
        u = np.hypot(scatter, shared)
        scale = np.where(u > 0, u, 1.0)
        parts = ((own, self._dof[i]), (other, self._dof[j]), (trend, trend_dof))
        welch = sum((_per_dof(part / scale, dof) for part, dof in parts), np.zeros(len(j)))
        fewest = np.minimum.reduce([np.where(part > 0, dof, np.inf) for part, dof in parts])
        denominator = np.where(self._few[i] | self._few[j], _per_dof(scatter / scale, fewest), welch)
        with np.errstate(divide="ignore"):
            return u, np.where(denominator > 0, 1 / denominator, np.inf)

    def _trend(self, i: int, j: NDArray[np.int_]) -> tuple[Array, Array]:
        """Compute the contribution of a trend over time, as `time_term` does, with its degrees of freedom."""
        n, mean_s, reach_s, sxx, sxy, syy = self._course
        both_sxx, both_sxy = sxx[i] + sxx[j], sxy[i] + sxy[j]
        dof = np.where((n[i] > 0) & (n[j] > 0), n[i] + n[j] - 3.0, 0.0)
        has_trend = (both_sxx > 0) & (dof >= 1)
        safe_sxx, safe_dof = np.where(has_trend, both_sxx, 1.0), np.where(has_trend, dof, np.inf)
        slope = both_sxy / safe_sxx
        about = np.maximum(syy[i] + syy[j] - slope * both_sxy, 0.0) / safe_dof
        distance_s = np.minimum(np.abs(mean_s[i] - mean_s[j]), (reach_s[i] + reach_s[j]) / 2)
        return np.where(has_trend, np.sqrt(slope**2 + about / safe_sxx) * distance_s, 0.0), safe_dof


_MOST_DOF = 1e9


def _per_dof(share: Array, dof: Array) -> Array:
    """Compute the term of a part of the uncertainty in the formula of Welch and Satterthwaite."""
    return np.asarray(share**4 / dof, dtype=np.float64)
