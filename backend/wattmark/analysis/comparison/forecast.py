"""What a plan of repeats will show: its ±, and the smallest difference that the test of a comparison will find."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wattmark.analysis.comparison.comparison import Observation, System, can_test, ratio, system
from wattmark.analysis.comparison.ranking import SIGNIFICANCE
from wattmark.analysis.comparison.repeats import Repeats

POWER = 0.80
"""Probability with which a forecast difference is found; the usual choice (Cohen 1988, section 2.4)."""
FEWEST_DOF = 2.0
"""Scatter of fewer degrees of freedom says too little about the next runs."""


@dataclass(frozen=True, slots=True)
class RunScatter:
    """How runs of one system scatter: relative standard deviation of single runs, and the part from within the runs.

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

    The half width at the level of the test, and the one-sided quantile of the power beyond it, as sample sizes are
    planned (NIST/SEMATECH handbook, 7.2.2.2). ``comparisons`` are made at once; the hardest of Holm's steps is taken.
    None where no test can be made.
    """
    estimate = ratio(a, b)
    if estimate is None or not can_test(a, b):
        return None
    limit = estimate.half_width(1 - SIGNIFICANCE / comparisons)
    return math.expm1(limit + estimate.half_width(2 * POWER - 1))
