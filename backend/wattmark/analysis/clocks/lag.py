"""Lag of one power trace behind another, by their best correlation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import Contribution, UncertainValue

from wattmark.analysis.energy.type_a import autocorrelation_time
from wattmark.analysis.refusal import Refused

Array = NDArray[np.float64]
EARLIEST_S, LATEST_S = -10.0, 60.0
LEAST_SAMPLES = 20
LEAST_CORRELATION = 0.5
STEPS_PER_PERIOD = 10
EDGE_SHARE = 0.1 / math.sqrt(3)
"""Straight lines between samples move the edges of a trace by up to a tenth of the spacing, alike for all edges."""


@dataclass(frozen=True, slots=True)
class Lag:
    """Seconds by which the second trace comes later with their budget, and the correlation there."""

    of: UncertainValue
    correlation: float

    @property
    def value_s(self) -> float:
        return self.of.value

    @property
    def u_s(self) -> float:
        """Return the standard uncertainty of the lag [s]."""
        return self.of.u


def find_lag(t_s: Array, power: Array, later_t_s: Array, later: Array) -> Lag:
    """Find by how much ``later`` follows ``power``; stamps rise [s], values in any unit.

    The lag maximises the correlation of ``later`` with ``power`` interpolated at its stamps; a parabola through the
    maximum refines it. Its uncertainty is that of a delay estimated by least squares (the Cramer-Rao bound of time
    delay estimation: residual variance over the summed squared slope), enlarged for residuals that are not
    independent, or where it is larger the one for residuals that gather at the edges (White 1980), as they do when one
    instrument averages for longer than the other; with the part that interpolation between samples adds.
    Raises `Refused` where the traces are short or do not follow each other.
    """
    step_s = _spacing_s(t_s, later_t_s) / STEPS_PER_PERIOD
    lags = np.arange(EARLIEST_S, LATEST_S + step_s, step_s)
    inside = (later_t_s - LATEST_S >= t_s[0]) & (later_t_s - EARLIEST_S <= t_s[-1]) if len(t_s) else np.zeros(0, bool)
    if inside.sum() < LEAST_SAMPLES:
        lags = lags[np.abs(lags) <= max((t_s[-1] - t_s[0]) / 4, step_s)] if len(t_s) > 1 else lags[:0]
        inside = (later_t_s - _last(lags) >= _first(t_s)) & (later_t_s - _first(lags) <= _last(t_s))
    if inside.sum() < LEAST_SAMPLES or len(lags) < 3:
        raise Refused(
            "few-samples", "The common recording is too short to find the lag between the two; record at least 2 min."
        )
    stamps, values = later_t_s[inside], later[inside]
    correlations = np.array([_correlation(np.interp(stamps - lag, t_s, power), values) for lag in lags])
    best = int(np.argmax(correlations))
    if correlations[best] < LEAST_CORRELATION:
        raise Refused(
            "no-correlation",
            "The two traces are not correlated; vary the load while both record, and check that both measure the same "
            "server.",
        )
    value_s = float(lags[best]) + step_s * _vertex(correlations, best)
    terms = _contributions(value_s, t_s, power, stamps, values)
    return Lag(UncertainValue(value_s, "s", terms), float(correlations[best]))


def _contributions(lag_s: float, t_s: Array, power: Array, stamps: Array, values: Array) -> tuple[Contribution, ...]:
    model = np.interp(stamps - lag_s, t_s, power)
    sampling_s = EDGE_SHARE * _spacing_s(t_s, stamps)
    gain, offset = np.polyfit(model, values, 1)
    residuals = values - offset - gain * model
    half_s = _spacing_s(t_s, stamps) / 2
    before, after = (np.interp(stamps - lag_s + sign * half_s, t_s, power) for sign in (-1, 1))
    slope = gain * (after - before) / (2 * half_s)
    information = float(np.sum(slope**2))
    # Where the later trace is smoother, the correlation bends as the product of both slopes, not as a square.
    curvature = min(information, float(np.sum(slope * np.gradient(values, stamps))))
    if curvature <= 0 or not np.any(residuals):
        return (Contribution("sampling", max(half_s, sampling_s), "B", kind="window and clock"),)
    tau = max(autocorrelation_time(residuals), 1.0)
    # three parameters were fitted: gain, offset and lag
    even_s = math.sqrt(float(residuals.var(ddof=3)) * tau * information) / curvature
    at_edges_s = math.sqrt(float(np.sum((slope * residuals) ** 2))) / curvature
    dof = max(len(residuals) / tau - 3, 1.0)
    return (
        Contribution("scatter about the best lag", max(even_s, at_edges_s), "A", dof, kind="window and clock"),
        Contribution("interpolation", sampling_s, "B", distribution="rectangular", kind="window and clock"),
    )


def _correlation(a: Array, b: Array) -> float:
    a, b = a - a.mean(), b - b.mean()
    size = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / size if size > 0 else 0.0


def _vertex(y: Array, best: int) -> float:
    """Find the top of the parabola through three points around the best one [steps]."""
    if not 0 < best < len(y) - 1:
        return 0.0
    left, mid, right = y[best - 1 : best + 2]
    bend = left - 2 * mid + right
    return float((left - right) / (2 * bend)) if bend < 0 else 0.0


def _spacing_s(*stamps: Array) -> float:
    spacings = [float(np.median(np.diff(t))) for t in stamps if len(t) > 1]
    return max(min(spacings, default=1.0), 1e-3)


def _first(x: Array) -> float:
    return float(x[0]) if len(x) else math.inf


def _last(x: Array) -> float:
    return float(x[-1]) if len(x) else -math.inf
