"""One figure against threads, clients or request rate: peak, knee, saturation and mean over the upper levels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from wattmark_calibration import welch_satterthwaite

from wattmark.analysis.comparison.measured import Array, Measured, require_levels, require_positive, values_of
from wattmark.analysis.comparison.rounding import decimal_mean
from wattmark.analysis.refusal import Refused

Better = Literal["higher", "lower"]
SATURATED = 0.95
"""A curve is saturated at the first level that reaches this share of its best value."""
STRAIGHT = 0.05
"""A curve that bows less than this share of its height above its chord has no knee."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """One figure at rising levels; levels are distinct, figures positive."""

    levels: tuple[float, ...]
    figures: tuple[Measured, ...]
    better: Better

    @property
    def values(self) -> Array:
        """Return the values of the figures."""
        return values_of(self.figures)


@dataclass(frozen=True, slots=True)
class Peak:
    """The best figure, the first level that shows it and the other levels with the very same value."""

    level: float
    figure: Measured
    also_at: tuple[float, ...]
    at_edge: bool
    """The best figure is at the last level: the true peak may lie beyond it."""


@dataclass(frozen=True, slots=True)
class Knee:
    """Where a rising curve bends most: its level, its value and its height above the chord [share of the curve]."""

    level: float
    value: float
    bow: float


@dataclass(frozen=True, slots=True)
class LevelMean:
    """Plain mean over the levels at or above a threshold, and over how many levels."""

    figure: Measured
    threshold: float
    levels: tuple[float, ...]


def sweep(levels: ArrayLike, figures: Sequence[Measured], better: Better = "higher") -> Sweep:
    """Sort a table by level. Raises `Refused` for one level, equal levels, or figures that are not positive."""
    column = require_levels(levels, len(figures), 2)
    if len(np.unique(column)) < len(column):
        raise Refused("equal-levels", "A level occurs twice in the table; average its repeats first.")
    require_positive(values_of(figures), "Figures of a sweep")
    order = np.argsort(column)
    return Sweep(tuple(float(column[i]) for i in order), tuple(figures[i] for i in order), better)


def peak(curve: Sweep) -> Peak:
    """Find the best figure of a sweep: the highest, or the lowest of a response time."""
    values = curve.values
    best = values.max() if curve.better == "higher" else values.min()
    where = np.flatnonzero(values == best)
    level, *others = (curve.levels[i] for i in where)
    return Peak(level, curve.figures[where[0]], tuple(others), bool(where[0] == len(values) - 1))


def saturation(curve: Sweep, share: float = SATURATED) -> float:
    """Find the first level that reaches a share of the peak; only where higher is better."""
    _require_rising(curve)
    if not 0 < share <= 1:
        raise Refused("bad-share", f"A share of the peak must be above 0 and at most 1; got {share:g}.")
    values = curve.values
    return curve.levels[int(np.argmax(values >= share * values.max()))]


def knee(curve: Sweep) -> Knee:
    """Find the knee by Kneedle without smoothing (Satopaa et al. 2011): the measured point highest above the chord.

    The chord runs from the first level to the peak, both axes scaled to that span. Raises `Refused` ("no-knee") for
    a curve whose peak is its first level, with nothing between, or almost linear up to its peak.
    """
    _require_rising(curve)
    values, top = curve.values, int(np.argmax(curve.values))
    if top < 2:
        raise Refused(
            "no-knee", "Fewer than three levels up to the peak; measure levels between the first and the peak."
        )
    x = np.array(curve.levels[: top + 1])
    y = values[: top + 1]
    bow = (y - y[0]) / (y[-1] - y[0]) - (x - x[0]) / (x[-1] - x[0])
    position = int(np.argmax(bow))
    if bow[position] < STRAIGHT:
        raise Refused("no-knee", "The curve rises almost straight to its peak, so it has no knee.")
    return Knee(float(x[position]), float(y[position]), float(bow[position]))


def knee_level(curve: Sweep) -> float | None:
    """Find the level of the knee; None where the curve has none, or too few levels to tell."""
    try:
        return knee(curve).level
    except Refused:
        return None


def mean_from(curve: Sweep, threshold: float) -> LevelMean:
    """Average the figures of all levels at or above a threshold ("5 and higher") [unit of the figures].

    Every level weighs the same; u treats the levels as independent and is None where that of any level is not known.
    """
    chosen = [(n, figure) for n, figure in zip(curve.levels, curve.figures, strict=True) if n >= threshold]
    if not chosen:
        raise Refused("no-level", f"No level is {threshold:g} or higher.")
    mean = mean_of([figure for _, figure in chosen])
    return LevelMean(mean, threshold, tuple(n for n, _ in chosen))


def mean_of(figures: Sequence[Measured]) -> Measured:
    """Average independent figures with equal weights; u None where that of any is not known."""
    value = decimal_mean([figure.value for figure in figures])
    parts = [figure.u / len(figures) for figure in figures if figure.u is not None]
    if len(parts) < len(figures):
        return Measured(value)
    dof = welch_satterthwaite(parts, [figure.dof for figure in figures])
    return Measured(value, math.hypot(*parts), max(dof, 1.0))  # Welch's formula may fall below 1 by a rounding error


def _require_rising(curve: Sweep) -> None:
    if curve.better == "lower":
        raise Refused(
            "lower-is-better",
            "A knee and a saturation level exist only for quantities where higher is better; choose throughput or "
            "performance per watt.",
        )
