"""Amdahl's law and the universal scalability law fitted to throughput against level, with profile intervals.

X(n) = lambda n / (1 + sigma (n - 1) + kappa n (n - 1)), kappa = 0 for Amdahl (Amdahl 1967; Gunther 2007). Least squares
on logarithms, since the scatter of throughput grows with it. An interval holds every value of a parameter for which
the best fit of the others is not worse than F(1, n - p) allows (profile likelihood, 95 %), so it may end at a bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from wattmark.analysis.comparison.comparison import student_factor
from wattmark.analysis.comparison.measured import Array, require_levels, require_positive
from wattmark.analysis.refusal import Refused

STEEPEST = 1e6
"""Largest slowdown at the highest level that coherence is allowed to explain; beyond it an interval is open."""
EXACT = 1e-24
"""Least sum of squares: data that lie exactly on the law still get an interval of finite width."""
Range = tuple[float, float]
Mask = NDArray[np.bool_]
Slowdown = Callable[[Array, Array], Array]
"""Denominator of the law at levels n for its parameters."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A parameter with its 95 % profile interval; an end may be infinite where the data do not bound it."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AmdahlFit:
    """Serial share sigma and what follows: the largest speed-up 1/sigma (infinite at sigma = 0)."""

    unit_rate: float
    """Throughput of one level unit, lambda."""
    serial_share: Fitted
    largest_speed_up: Fitted
    residual_pct: float
    """Residual standard deviation of throughput [%]."""
    at_bound: bool
    """True: the throughput grows as fast as the level or faster, which Amdahl's law cannot explain."""

    def throughput(self, levels: ArrayLike) -> Array:
        """Compute the fitted curve [unit of the throughput]."""
        n = np.asarray(levels, dtype=np.float64)
        return np.asarray(self.unit_rate * n / (1 + self.serial_share.value * (n - 1)), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class UslFit:
    """Contention sigma, coherence kappa and the level n* = sqrt((1 - sigma)/kappa) of the highest throughput."""

    unit_rate: float
    contention: Fitted
    coherence: Fitted
    peak_level: Fitted
    """Infinite where no coherence shows: the curve then has no peak."""
    residual_pct: float
    measured_to: float
    """The highest level measured; a peak beyond it is extrapolated, not measured."""

    @property
    def peak_measured(self) -> bool:
        """Return whether the fitted peak lies among the measured levels."""
        return self.peak_level.value <= self.measured_to

    def throughput(self, levels: ArrayLike) -> Array:
        """Compute the fitted curve [unit of the throughput]."""
        n = np.asarray(levels, dtype=np.float64)
        slow = 1 + self.contention.value * (n - 1) + self.coherence.value * n * (n - 1)
        return np.asarray(self.unit_rate * n / slow, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Problem:
    """Levels, logarithms of throughput per level unit, the law and the upper bounds of its parameters (lower: 0)."""

    n: Array
    log_rate: Array
    slowdown: Slowdown
    upper: Array

    def residuals(self, p: Array) -> Array:
        """Return ln X - ln model for the best lambda, which is a mean and needs no search."""
        off = self.log_rate + np.log(self.slowdown(self.n, p))
        return np.asarray(off - off.mean(), dtype=np.float64)

    def cost(self, p: Array) -> float:
        """Return the sum of squares for the best lambda."""
        off = self.residuals(p)
        return float(off @ off)

    def unit_rate(self, p: Array) -> float:
        """Return the best lambda."""
        return math.exp(float((self.log_rate + np.log(self.slowdown(self.n, p))).mean()))

    def best(self, start: Array, free: Mask) -> Array:
        """Minimise over the parameters marked free, the others staying at ``start``."""
        if not free.any():
            return start
        scale = np.minimum(self.upper, 1 / self.n.max() ** np.arange(1, len(start) + 1))

        def off(inner: Array) -> Array:
            return self.residuals(_filled(start, free, inner * scale[free]))

        solution = scipy.optimize.least_squares(
            off,
            x0=np.clip(start / scale, 0.0, self.upper / scale)[free],
            bounds=(0.0, (self.upper / scale)[free]),
            xtol=1e-13,
            ftol=1e-13,
            gtol=1e-13,
        )
        inside = _filled(start, free, solution.x * scale[free])
        # The solver stays strictly inside; a parameter that only hovers at its bound of 0 belongs on it.
        at_bound = _filled(start, free, np.where(solution.x < 1e-6, 0.0, solution.x) * scale[free])
        near = self.cost(at_bound) <= self.cost(inside) * (1 + 1e-9)
        return min((at_bound if near else inside, start), key=self.cost)

    def profile(self, best: Array, which: int, allowed: float) -> Range:
        """Find where the best cost at a fixed parameter crosses the allowed one, on either side of the best fit."""
        free = np.arange(len(best)) != which
        top = float(self.upper[which])

        def excess(value: float) -> float:
            fixed = np.where(free, best, value)
            return self.cost(self.best(fixed, free)) - allowed

        middle = float(best[which])
        low = 0.0 if excess(0.0) <= 0 else _crossing(excess, 0.0, middle)
        above = step = max(middle, 1e-6 * min(top, 1.0 / float(self.n.max()) ** 2))
        while above < top and excess(above) <= 0:
            step *= 2
            above = min(middle + step, top)
        return low, (_crossing(excess, middle, above) if excess(above) > 0 else top)


def fit_amdahl(levels: ArrayLike, throughput: ArrayLike) -> AmdahlFit:
    """Fit Amdahl's law; repeats of a level may stand as rows of their own. Needs three rows at two levels.

    Levels are counts of at least 1 (cores, threads, clients). Raises `Refused` with the reason.
    """
    problem = _problem(levels, throughput, _amdahl, [1.0])
    fit = problem.best(np.array([0.05]), np.array([True]))
    allowed, spread_pct = _allowance(problem, fit)
    share = Fitted(float(fit[0]), *problem.profile(fit, 0, allowed))
    return AmdahlFit(
        unit_rate=problem.unit_rate(fit),
        serial_share=share,
        largest_speed_up=Fitted(_inverse(share.value), _inverse(share.high), _inverse(share.low)),
        residual_pct=spread_pct,
        at_bound=share.value == 0,
    )


def fit_usl(levels: ArrayLike, throughput: ArrayLike) -> UslFit:
    """Fit the universal scalability law; repeats may stand as rows of their own. Needs four rows at three levels.

    Levels are counts of at least 1; 0 <= sigma <= 1 and kappa >= 0. Raises `Refused` with the reason.
    """
    column = require_positive(levels, "Levels")
    if not len(column):
        raise Refused("few-levels", "There is no value at any level; three levels are needed.")
    steepest = STEEPEST / float(column.max()) ** 2
    problem = _problem(levels, throughput, _usl, [1.0, steepest])
    fit = problem.best(_linear_start(problem), np.array([True, True]))
    allowed, spread_pct = _allowance(problem, fit)
    by_peak = replace(problem, slowdown=_usl_by_peak)
    curve = np.array([fit[0], min(fit[1] / (1 - fit[0]), steepest) if fit[0] < 1 else 0.0])
    flat, sharp = _opened(by_peak.profile(curve, 1, allowed), steepest)
    return UslFit(
        unit_rate=problem.unit_rate(fit),
        contention=Fitted(float(fit[0]), *problem.profile(fit, 0, allowed)),
        coherence=Fitted(float(fit[1]), *_opened(problem.profile(fit, 1, allowed), steepest)),
        peak_level=Fitted(_peak(float(curve[1])), _peak(sharp), _peak(flat)),
        residual_pct=spread_pct,
        measured_to=float(problem.n.max()),
    )


def _problem(levels: ArrayLike, throughput: ArrayLike, law: Slowdown, upper: list[float]) -> _Problem:
    parameters = len(upper) + 1
    rate = require_positive(throughput, "Throughput")
    n = require_levels(levels, len(rate), parameters)
    if n.min() < 1:
        raise Refused("level-below-one", "A scaling law counts cores, threads or clients; levels start at 1.")
    if len(n) <= parameters:
        text = (
            f"{len(n)} rows are too few to estimate the scatter with {parameters} parameters; add a level or a repeat."
        )
        raise Refused("few-points", text)
    return _Problem(n, np.log(rate / n), law, np.array(upper))


def _amdahl(n: Array, p: Array) -> Array:
    return np.asarray(1 + p[0] * (n - 1), dtype=np.float64)


def _usl(n: Array, p: Array) -> Array:
    return np.asarray(1 + p[0] * (n - 1) + p[1] * n * (n - 1), dtype=np.float64)


def _usl_by_peak(n: Array, p: Array) -> Array:
    """Compute the same law with kappa = (1 - sigma)/n*^2, so that the peak can be profiled as a parameter."""
    return np.asarray(1 + p[0] * (n - 1) + (1 - p[0]) * p[1] * n * (n - 1), dtype=np.float64)


def _linear_start(problem: _Problem) -> Array:
    """Start from the linear form n/X = (1 + sigma (n - 1) + kappa n (n - 1))/lambda (Gunther 2007)."""
    n, rate = problem.n, np.exp(problem.log_rate)
    design = np.column_stack((np.ones_like(n), n - 1, n * (n - 1)))
    scale, *rest = scipy.optimize.nnls(design * rate[:, None], np.ones_like(n))[0]
    return np.clip(np.array(rest) / (scale or 1.0), 1e-9, problem.upper * (1 - 1e-9))


def _allowance(problem: _Problem, fit: Array) -> tuple[float, float]:
    """Return the cost that bounds the 95 % interval, and the residual standard deviation [%]."""
    dof = len(problem.n) - len(fit) - 1
    cost = problem.cost(fit)
    return max(cost, EXACT) * (1 + student_factor(dof) ** 2 / dof), 100 * math.sqrt(cost / dof)


def _opened(interval: Range, top: float) -> Range:
    """Return an interval that reaches the end of the search as unbounded."""
    return interval[0], (math.inf if interval[1] >= top else interval[1])


def _filled(start: Array, free: Mask, inner: Array) -> Array:
    whole = start.copy()
    whole[free] = inner
    return whole


def _crossing(excess: Callable[[float], float], a: float, b: float) -> float:
    return float(scipy.optimize.brentq(excess, a, b, xtol=1e-12 * max(abs(a), abs(b)), rtol=1e-8))


def _inverse(value: float) -> float:
    return math.inf if value == 0 else 1 / value


def _peak(curve: float) -> float:
    return math.sqrt(_inverse(curve))
