"""Forecast of a plan of repeats: its ±, and the smallest difference that the test of a comparison detects."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import NDArray
from wattmark_calibration import probability_within

from wattmark.analysis.comparison.comparison import Observation, System, can_test, ratio, system
from wattmark.analysis.comparison.ranking import SIGNIFICANCE
from wattmark.analysis.comparison.repeats import Repeats

POWER = 0.80
"""Probability with which a forecast difference is found; the usual choice (Cohen 1988, section 2.4)."""
FEWEST_DOF = 2.0
"""Scatter with fewer degrees of freedom is too uncertain to predict further runs."""
NODES = 12
"""Nodes of the Gauss-Laguerre rule for an estimated variance; 30 of them change no difference by 1 part in 1,000."""
BEYOND = 10.0
"""A difference this many u beyond the widest test is found for certain: the end of the search."""
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RunScatter:
    """Scatter of the runs of one system: relative standard deviation of single runs, and the part within the runs.

    The part from within belongs to windows of ``window_s`` and shrinks as the root of a longer window; the rest stays.
    """

    sd: float
    within: float
    window_s: float
    dof: float

    def over(self, window_s: float) -> float:
        """Compute the relative standard deviation of runs with windows of this length [1]."""
        within = min(self.within, self.sd)
        return math.sqrt(max(self.sd**2 - within**2, 0.0) + within**2 * self.window_s / window_s)


def pooled_scatter(groups: Sequence[Sequence[tuple[Observation, float]]]) -> RunScatter | None:
    """Combine the scatter of repeats over all groups; each run comes with the length of its window [s].

    None with fewer than two degrees of freedom.
    """
    repeated = [group for group in groups if len(group) > 1]
    dof = math.fsum(len(group) - 1 for group in repeated)
    if dof < FEWEST_DOF:
        return None
    squares = math.fsum(
        (len(group) - 1) * float(np.var([math.log(run.value) for run, _ in group], ddof=1)) for group in repeated
    )
    runs = [run for group in repeated for run in group]
    within = math.fsum((run.within or 0.0) ** 2 for run, _ in runs) / len(runs)
    window_s = math.fsum(length_s for _, length_s in runs) / len(runs)
    return RunScatter(math.sqrt(squares / dof), math.sqrt(within), window_s, dof)


def expected_system(run: Observation, repeats: int, sd: float) -> System:
    """Return what repeats of a run will be as a system, if single runs scatter by ``sd`` [1] about their mean."""
    single = system([run])
    if repeats == 1:
        return single
    log = Repeats(repeats, single.log.mean, sd / math.sqrt(repeats), repeats - 1.0, repeats)
    return replace(single, log=log)


def detectable(a: System, b: System, comparisons: int = 1) -> float | None:
    """Compute the relative difference that the test of a comparison finds with probability `POWER` [1].

    The probability is that of the non-central t of Welch's test: the difference scatters about its true value, and so
    does the half width that it must exceed, because each campaign has its own estimate of the scatter. (The sum of both
    quantiles of the central t, as sample sizes are planned with known scatter, finds 0.72 of three runs for 0.80.)
    ``comparisons`` are made at once; the hardest of Holm's steps is taken. None where no test can be made.
    """
    estimate = ratio(a, b)
    if estimate is None or not can_test(a, b):
        return None
    widths, weights = _test_widths(a, b, 1 - SIGNIFICANCE / comparisons)
    normal_u = math.sqrt(max(estimate.u**2 - estimate.rectangular_u**2, 0.0))

    def excess(log_difference: float) -> float:
        beyond = log_difference - widths
        inside = probability_within(np.abs(beyond), normal_u, math.inf, estimate.rectangular_u)
        return float(weights @ (1 + np.sign(beyond) * inside)) / 2 - POWER

    if estimate.u == 0:
        return 0.0
    return math.expm1(scipy.optimize.brentq(excess, 0.0, float(widths.max()) + BEYOND * estimate.u))


def _test_widths(a: System, b: System, probability: float) -> tuple[Array, Array]:
    """Return the half widths of the test at quadrature nodes of both estimated scatters, and the nodes' weights."""
    widths, weights = [], []
    for (scale_a, weight_a), (scale_b, weight_b) in itertools.product(_scales(a.log), _scales(b.log)):
        estimated = (_scattered(of, scale) for of, scale in ((a, scale_a), (b, scale_b)))
        estimate = ratio(*estimated)
        if estimate is not None:
            widths.append(estimate.half_width(probability))
            weights.append(weight_a * weight_b)
    return np.array(widths), np.array(weights)


def _scales(log: Repeats) -> list[tuple[float, float]]:
    """Return nodes and weights of the ratio of an estimated to the true scatter: sqrt(chi-squared / dof)."""
    if not math.isfinite(log.dof):
        return [(1.0, 1.0)]
    nodes, weights = scipy.special.roots_genlaguerre(NODES, log.dof / 2 - 1)
    return list(zip(np.sqrt(2 * nodes / log.dof), weights / weights.sum(), strict=True))


def _scattered(of: System, scale: float) -> System:
    return replace(of, log=replace(of.log, u=None if of.log.u is None else scale * of.log.u))
