"""Watts against DIMM count: a straight line with an interval that also holds the meter's error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray
from wattmark_calibration import welch_satterthwaite

from wattmark.analysis.comparison import student_factor
from wattmark.analysis.refusal import Refused
from wattmark.analysis.theil_sen import theil_sen_slope

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MemoryRun:
    """One run: DIMM count, power [W], its own scatter [W] (None: not known) and errors shared with other runs [W]."""

    dimms: int
    power_w: float
    within_w: float | None
    shared_w: Mapping[str, float]
    within_dof: float = math.inf


@dataclass(frozen=True, slots=True)
class MemoryFit:
    """Line P = intercept + slope x count [W, W/DIMM] with the slope's uncertainty and checks."""

    slope: float
    slope_u: float
    dof: float
    intercept: float
    residual_sd: float
    theil_sen: float
    lack_of_fit_p: float | None
    """None: fewer than three counts, or no replicates."""
    runs: tuple[MemoryRun, ...]

    @property
    def interval(self) -> tuple[float, float]:
        """Compute the 95 % interval of the slope [W/DIMM]."""
        half = student_factor(self.dof) * self.slope_u
        return self.slope - half, self.slope + half

    @property
    def shared_slope(self) -> dict[str, float]:
        """List what each error shared by runs does to the slope, with its sign [W/DIMM]."""
        weights = _slope_weights(np.array([run.dimms for run in self.runs], dtype=np.float64))
        names = sorted({name for run in self.runs for name in run.shared_w})
        return {name: float(weights @ np.array([run.shared_w.get(name, 0.0) for run in self.runs])) for name in names}

    @property
    def slope_scatter(self) -> tuple[float, float]:
        """Split off the slope's own scatter: (u [W/DIMM], degrees of freedom)."""
        square = max(self.slope_u**2 - math.fsum(u * u for u in self.shared_slope.values()), 0.0)
        if square == 0:
            return 0.0, math.inf
        return math.sqrt(square), max(self.dof * (square / self.slope_u**2) ** 2, 1.0)

    def line(self, counts: Sequence[float]) -> list[tuple[float, float, float, float]]:
        """Compute (count, fitted W, low, high) with the 95 % band of the fitted line."""
        rows = []
        for count in counts:
            u, dof = _term(self.runs, _leverage(self.runs, count), self.residual_sd)
            fit, half = self.intercept + self.slope * count, student_factor(dof) * u
            rows.append((count, fit, fit - half, fit + half))
        return rows


def fit_memory(runs: Sequence[MemoryRun], *, hc3: bool = False) -> MemoryFit:
    """Fit power over DIMM count by least squares (method 5.3) [W/DIMM].

    The slope's scatter is the larger of what the residuals show (n - 2 degrees of freedom; ``hc3``: allowing for a
    spread that differs between counts) and what each run's own scatter says. An error shared by runs (same meter and
    range) enters as it acts on the slope: an offset cancels, a gain error scales it. Raises `Refused` with the reason.
    """
    n, p = _columns(runs)
    slope, intercept = (float(c) for c in np.polynomial.polynomial.polyfit(n, p, 1)[::-1])
    residual = p - intercept - slope * n
    sd = math.sqrt(float(residual @ residual) / (len(n) - 2))
    weights = _slope_weights(n)
    robust = _hc3(n, residual, weights) if hc3 else None
    u, dof = _term(runs, weights, sd, robust)
    return MemoryFit(
        slope=slope,
        slope_u=u,
        dof=dof,
        intercept=intercept,
        residual_sd=sd,
        theil_sen=theil_sen_slope(n, p),
        lack_of_fit_p=_lack_of_fit(n, p, residual),
        runs=tuple(runs),
    )


def _columns(runs: Sequence[MemoryRun]) -> tuple[Array, Array]:
    n = np.array([run.dimms for run in runs], dtype=np.float64)
    p = np.array([run.power_w for run in runs])
    if not np.all(np.isfinite(p)):
        raise Refused("not-finite", "The power of a run is not a finite number.")
    if len(set(n.tolist())) < 2:
        raise Refused("one-count", "All runs have the same DIMM count; measure at least one other population.")
    if len(n) < 3:
        raise Refused("few-runs", "Two runs show a difference but not its scatter; repeat them.")
    return n, p


def _slope_weights(n: Array) -> Array:
    """Give the weights w with slope = sum w P."""
    centred = n - n.mean()
    return np.asarray(centred / float(centred @ centred), dtype=np.float64)


def _leverage(runs: Sequence[MemoryRun], count: float) -> Array:
    """Give the weights h with fitted power at ``count`` = sum h P."""
    n = np.array([run.dimms for run in runs], dtype=np.float64)
    return np.asarray(1 / len(n) + (count - n.mean()) * _slope_weights(n), dtype=np.float64)


def _term(
    runs: Sequence[MemoryRun], weights: Array, residual_sd: float, robust: float | None = None
) -> tuple[float, float]:
    """Combine scatter and shared errors of a weighted sum of powers: (u [W x weight], degrees of freedom)."""
    between = residual_sd * math.sqrt(float(weights @ weights)) if robust is None else robust
    within_w = [run.within_w for run in runs]
    known = all(u is not None for u in within_w)
    parts = np.abs(weights) * np.array([u or 0.0 for u in within_w]) * known
    within = float(np.linalg.norm(parts))
    scatter, dof = between, len(runs) - 2.0
    if within > between:
        scatter, dof = within, welch_satterthwaite(parts.tolist(), [run.within_dof for run in runs])
    names = {name for run in runs for name in run.shared_w}
    shared = [abs(float(weights @ np.array([run.shared_w.get(name, 0.0) for run in runs]))) for name in sorted(names)]
    u = math.sqrt(math.fsum(x * x for x in (scatter, *shared)))
    return u, welch_satterthwaite([scatter, *shared], [dof, *(math.inf for _ in shared)])


def _hc3(n: Array, residual: Array, weights: Array) -> float:
    """Compute the HC3 standard error of the slope (MacKinnon and White 1985) [W/DIMM]."""
    centred = n - n.mean()
    leverage = 1 / len(n) + centred**2 / float(centred @ centred)
    return float(np.linalg.norm(weights * residual / (1 - leverage)))


def _lack_of_fit(n: Array, p: Array, residual: Array) -> float | None:
    """Test by F whether the points lie on a line, against the scatter of replicates."""
    counts, which = np.unique(n, return_inverse=True)
    dof_lack, dof_pure = len(counts) - 2, len(n) - len(counts)
    if dof_lack < 1 or dof_pure < 1:
        return None
    means = np.bincount(which, weights=p) / np.bincount(which)
    pure = float(np.sum((p - means[which]) ** 2))
    lack = float(residual @ residual) - pure
    if pure <= 0:
        return None
    return float(scipy.special.fdtrc(dof_lack, dof_pure, max(lack, 0.0) / dof_lack / (pure / dof_pure)))
