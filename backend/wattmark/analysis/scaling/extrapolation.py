"""Throughput beyond the measured clock, core count or load: several models side by side, never a measured figure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from wattmark_calibration import welch_satterthwaite

from wattmark.analysis.comparison.comparison import student_factor
from wattmark.analysis.comparison.measured import (
    Array,
    Measured,
    require_levels,
    require_positive,
    require_resolved,
    values_of,
)
from wattmark.analysis.refusal import Refused
from wattmark.core.interval import Interval
from wattmark.core.numbers import format_number

ModelName = Literal["linear", "power-law", "time", "proportional", "log"]
Basis = Literal["none", "input error only", "prediction interval"]
Scale = Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class Model:
    """A model that is a straight line y' = a + b x' after changing the scales of both axes."""

    name: ModelName
    title: str
    formula: str
    x_scale: Scale
    y_scale: Scale
    y_back: Scale
    slope_of_scale: Scale
    """dy'/dy, which carries an uncertainty of y to the new scale."""


def _same(x: Array) -> Array:
    return x


def _inverse(x: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(1 / x, dtype=np.float64)


LINES: tuple[Model, ...] = (
    Model("linear", "Straight line", "y = a + b x", _same, _same, _same, np.ones_like),
    Model("power-law", "Power law", "y = a x^b", np.log, np.log, np.exp, _inverse),
    Model("time", "Time model (Amdahl)", "y = 1/(A + B/x)", _inverse, _inverse, _inverse, lambda y: -1 / y**2),
    Model("log", "Straight line over log x", "y = a + b ln x", np.log, _same, _same, np.ones_like),
)


@dataclass(frozen=True, slots=True)
class Prediction:
    """Prediction of one model at the target; its 95 % interval has no ends where there is no basis.

    An infinite end means: the data do not bound it.
    """

    model: ModelName
    title: str
    formula: str
    figure: Interval
    basis: Basis


@dataclass(frozen=True, slots=True)
class Extrapolated:
    """Predictions of all models at one target. It is not a `Measured` and cannot be divided by watts."""

    axis: str
    unit: str
    target: float
    measured: tuple[float, float]
    """Lowest and highest measured point."""
    predictions: tuple[Prediction, ...]
    excluded: tuple[str, ...]
    """Why a model gives nothing here."""

    @property
    def spread(self) -> tuple[float, float]:
        """Return the lowest and the highest value among the models: the visible part of the model error."""
        values = [prediction.figure.value for prediction in self.predictions]
        return min(values), max(values)

    @property
    def envelope(self) -> tuple[float, float] | None:
        """Return the span of all intervals, model and statistics together; None where no model has an interval."""
        lows = [p.figure.low for p in self.predictions if p.figure.low is not None]
        highs = [p.figure.high for p in self.predictions if p.figure.high is not None]
        return (min(lows), max(highs)) if lows else None

    def by(self, model: ModelName) -> Prediction:
        """Return the prediction of one model. Raises `Refused` where that model gives none."""
        for prediction in self.predictions:
            if prediction.model == model:
                return prediction
        raise Refused("no-model", f"The {model} model gives no value: {' '.join(self.excluded)}".strip())

    @property
    def warning(self) -> str:
        """Explain that nothing was measured at the target, how far away it lies and what the intervals do not cover."""
        low, high = self.measured
        end, word, name = (high, "above", "highest") if self.target > high else (low, "below", "lowest")
        off_pct = 100 * abs(self.target / end - 1)
        return (
            f"Extrapolated, not measured: {self.target:g} {self.unit} lies {format_number(off_pct, 3)} % {word} the "
            f"{name} measured "
            f"point; {_covers({p.basis for p in self.predictions})}."
        )


def _covers(bases: set[Basis]) -> str:
    """Explain what the intervals hold; the proportional model never has more than its input's error."""
    if "prediction interval" in bases:
        return "intervals cover scatter about each model, not model error"
    if "input error only" in bases:
        return "interval covers input error only, not model error"
    return "no interval is known, and models differ"


def extrapolate(
    x: ArrayLike, figures: Sequence[Measured], target: float, *, axis: str = "clock", unit: str = "GHz"
) -> Extrapolated:
    """Estimate a positive figure beyond the measured clock, cores or load by all models (method 5.5).

    Two points leave no degrees of freedom: only their own u is propagated. With three or more: prediction interval
    t s sqrt(1 + 1/n + (x - xbar)^2/Sxx) on the scale of the model, or the propagated u where that is larger.
    "proportional" scales the nearest measured point and carries its u. Raises `Refused`: "inside-range" for a target
    that is not beyond the measured points, and for bad input.
    """
    column = require_levels(x, len(figures), 2)
    values = require_positive(values_of(figures), "Figures to extrapolate")
    require_resolved(figures)
    goal = float(require_positive([target], "The target")[0])
    if column.min() <= goal <= column.max():
        raise Refused("inside-range", f"{goal:g} {unit} lies within the measured range; measure it instead.")
    predictions, excluded = [_proportional(column, figures, goal)], []
    for model in LINES:
        try:
            predictions.append(_on_line(model, column, values, figures, goal))
        except Refused as refusal:
            excluded.append(refusal.text)
    span = (float(column.min()), float(column.max()))
    return Extrapolated(axis, unit, goal, span, tuple(predictions), tuple(excluded))


def _proportional(x: Array, figures: Sequence[Measured], target: float) -> Prediction:
    nearest = int(np.argmin(np.abs(x - target)))
    figure, growth = figures[nearest], target / float(x[nearest])
    half = None if figure.u is None else student_factor(figure.dof) * figure.u
    ends = None if half is None else ((figure.value - half) * growth, (figure.value + half) * growth)
    basis: Basis = "none" if half is None else "input error only"
    grown = Interval.of(figure.value * growth, ends)
    return Prediction("proportional", "Proportional", "y = y_n x/x_n", grown, basis)


def _on_line(model: Model, x: Array, y: Array, figures: Sequence[Measured], target: float) -> Prediction:
    """Fit the line on the model's scales, predict there and carry value and interval back."""
    h, z = model.x_scale(x), model.y_scale(y)
    centred = h - h.mean()
    target_h = float(model.x_scale(np.array([target]))[0])
    weights = 1 / len(h) + (target_h - h.mean()) * centred / float(centred @ centred)
    middle = float(weights @ z)
    value = _back(model, middle)
    if not 0 < value < math.inf:
        raise Refused("diverges", f"{model.title}: the model gives no positive finite value at {target:g}.")
    half, basis = _half_width(model, h, z, y, figures, weights)
    if half is None:
        return Prediction(model.name, model.title, model.formula, Interval(value=value), basis)
    # An inverse scale turns the order of the ends around.
    low, high = sorted((_back(model, middle - half), _back(model, middle + half)))
    return Prediction(model.name, model.title, model.formula, Interval(value=value, low=low, high=high), basis)


def _back(model: Model, z: float) -> float:
    """Convert a value back to the axis of the figures; infinite past the pole of the time model and off the scale."""
    if model.name == "time" and z <= 0:
        return math.inf
    with np.errstate(over="ignore"):
        return float(model.y_back(np.array([z]))[0])


def _half_width(
    model: Model, h: Array, z: Array, y: Array, figures: Sequence[Measured], weights: Array
) -> tuple[float | None, Basis]:
    """Compute the half width of the 95 % interval on the model's scale, and its basis."""
    scatter = _prediction(h, z, weights)
    u = [figure.u for figure in figures if figure.u is not None]
    if len(u) < len(figures):
        return scatter, ("none" if scatter is None else "prediction interval")
    parts = np.abs(weights * model.slope_of_scale(y)) * np.array(u)
    dof = welch_satterthwaite(parts.tolist(), [figure.dof for figure in figures])
    own = student_factor(dof) * float(np.linalg.norm(parts))
    if scatter is None:
        return own, "input error only"
    return max(own, scatter), "prediction interval"


def _prediction(h: Array, z: Array, weights: Array) -> float | None:
    """Compute t s sqrt(1 + leverage); None for two points. The leverage is that of the fitted line at the target."""
    dof = len(h) - 2
    if dof < 1:
        return None
    residual = z - np.polynomial.Polynomial.fit(h, z, 1)(h)
    s = math.sqrt(float(residual @ residual) / dof)
    return student_factor(dof) * s * math.sqrt(1 + float(weights @ weights))
