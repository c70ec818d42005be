"""Straight line where both axes are uncertain (a BMC against a wall meter)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wattmark_calibration.correction.least_squares import chi_squared_p

Array = NDArray[np.float64]
TOLERANCE = 1e-14
MOST_ROUNDS = 500


@dataclass(frozen=True, slots=True)
class StraightLine:
    """y = intercept + slope x, with standard uncertainties, covariance and chi-squared."""

    intercept: float
    slope: float
    u_intercept: float
    u_slope: float
    covariance: float
    chi_squared: float
    dof: int

    @property
    def p_value(self) -> float | None:
        """Compute the probability of a larger chi-squared; None without degrees of freedom."""
        return chi_squared_p(self.chi_squared, self.dof)

    @property
    def correlation(self) -> float:
        """Compute the correlation of intercept and slope."""
        return self.covariance / (self.u_intercept * self.u_slope)

    @property
    def scale(self) -> float:
        """Compute max(1, sqrt(chi-squared/dof)): observed over expected scatter of the points."""
        return max(1.0, math.sqrt(self.chi_squared / self.dof)) if self.dof else 1.0

    def predict(self, x: float, u_x: float = 0.0) -> tuple[float, float]:
        """Compute y and its standard uncertainty at x, the line's part enlarged by ``scale`` [unit of y].

        ``u_x`` is the standard uncertainty of this x; the slope carries it over.
        """
        variance = self.u_intercept**2 + (x * self.u_slope) ** 2 + 2 * x * self.covariance
        return self.intercept + self.slope * x, math.hypot(self.scale * math.sqrt(max(variance, 0.0)), self.slope * u_x)


def york_line(x: ArrayLike, y: ArrayLike, u_x: ArrayLike, u_y: ArrayLike, r: ArrayLike = 0.0) -> StraightLine:
    """Fit a straight line with standard uncertainties in x and y and their correlation r, point by point.

    Uncertainties are those of the adjusted points, not scaled by chi-squared. Raises `ValueError` for fewer than 3
    points, uncertainties that are not above 0, or points that determine no line. Source: York et al., Am. J. Phys. 72
    (2004) 367, eq. 13a to 13d and table I.
    """
    xs, ys, us, vs, rs = _checked(x, y, u_x, u_y, r)
    slope = _start(xs, ys)
    for _ in range(MOST_ROUNDS):
        weight, beta = _weights(slope, xs, ys, us, vs, rs)
        dx, dy = xs - np.average(xs, weights=weight), ys - np.average(ys, weights=weight)
        divisor = float(np.sum(weight * beta * dx))
        if divisor == 0 or not math.isfinite(divisor):
            break
        previous, slope = slope, float(np.sum(weight * beta * dy)) / divisor
        if abs(slope - previous) <= TOLERANCE * abs(slope):
            return _line(slope, xs, ys, us, vs, rs)
    raise ValueError("The points do not determine a straight line; record loads over a wider span.")


def _checked(*columns: ArrayLike) -> list[Array]:
    """Convert the columns to one length; refuse columns that no line can be fitted to."""
    x, y, u_x, u_y, r = (np.asarray(column, dtype=np.float64) for column in columns)
    if x.ndim != 1 or x.shape != y.shape or x.size < 3:
        raise ValueError("A line fit with a goodness-of-fit check needs at least 3 points.")
    out = [x, y, *(np.broadcast_to(column, x.shape) for column in (u_x, u_y, r))]
    finite = all(bool(np.all(np.isfinite(column))) for column in out)
    if not finite or np.any(out[2] <= 0) or np.any(out[3] <= 0) or np.any(np.abs(out[4]) >= 1):
        raise ValueError("A line needs finite points, uncertainties above 0 and correlations between -1 and 1.")
    return out


def _start(x: Array, y: Array) -> float:
    """Return the ordinary slope of y on x as a start."""
    dx = x - x.mean()
    spread = float(dx @ dx)
    if spread == 0:
        raise ValueError("All loads are equal; a line needs at least two different loads.")
    return float(dx @ (y - y.mean())) / spread


def _weights(slope: float, x: Array, y: Array, u_x: Array, u_y: Array, r: Array) -> tuple[Array, Array]:
    """Compute York's W and beta for a slope."""
    wx, wy = u_x**-2.0, u_y**-2.0
    alpha = np.sqrt(wx * wy)
    weight = wx * wy / (wx + slope**2 * wy - 2 * slope * r * alpha)
    dx, dy = x - np.average(x, weights=weight), y - np.average(y, weights=weight)
    beta = weight * (dx / wy + slope * dy / wx - (slope * dx + dy) * r / alpha)
    return weight, beta


def _line(slope: float, x: Array, y: Array, u_x: Array, u_y: Array, r: Array) -> StraightLine:
    """Compute intercept, uncertainties and chi-squared at the final slope."""
    weight, beta = _weights(slope, x, y, u_x, u_y, r)
    x_bar, y_bar = float(np.average(x, weights=weight)), float(np.average(y, weights=weight))
    intercept = y_bar - slope * x_bar
    adjusted = x_bar + beta
    centre = float(np.average(adjusted, weights=weight))
    u_slope = 1 / math.sqrt(float(np.sum(weight * (adjusted - centre) ** 2)))
    u_intercept = math.sqrt(1 / float(np.sum(weight)) + (centre * u_slope) ** 2)
    chi_squared = float(np.sum(weight * (y - intercept - slope * x) ** 2))
    return StraightLine(intercept, slope, u_intercept, u_slope, -centre * u_slope**2, chi_squared, x.size - 2)
