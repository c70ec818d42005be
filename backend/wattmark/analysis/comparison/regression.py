"""Whether a figure got worse by more than a margin: shown, excluded, or not known."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from wattmark_calibration import welch_satterthwaite

from wattmark.analysis.comparison.comparison import MOST_REPEATS, Estimate, System, ratio, shared_difference
from wattmark.analysis.comparison.ranking import SIGNIFICANCE, holm

Outcome = Literal["no regression", "regression", "not known"]


Hindrance = Literal["scatter", "drift", "meters"]
"""What keeps a verdict from being known: scatter of the runs, or what no number of runs makes smaller."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What would make a verdict known: about how many more runs (or boots, or installations) of each.

    ``more`` is None where more than `MOST_REPEATS` are needed, or where ``hindrance`` is other than scatter.
    """

    more: int | None
    hindrance: Hindrance


@dataclass(frozen=True, slots=True)
class Loss:
    """By which factor a candidate is worse than its baseline, and how sure it is on which side of the limit.

    ``p_worse`` is the p-value of "at most the limit", ``p_kept`` that of "at least the limit", each one-sided.
    """

    estimate: Estimate
    p_worse: float
    p_kept: float


def largest_loss(margin: float, *, lower_is_better: bool) -> float:
    """Compute the logarithm of the largest loss that does not matter [1] from a change of the figure [1], below 1.

    A figure of which more is better may fall to 1 - ``margin`` of its baseline, so that baseline over candidate is
    1 / (1 - margin); one of which less is better may rise to 1 + ``margin``.
    """
    return math.log1p(margin) if lower_is_better else -math.log1p(-margin)


def loss(
    candidate: System, baseline: System, *, lower_is_better: bool, limit: float, drift: float = 0.0
) -> Loss | None:
    """Estimate by which factor a candidate is worse [1]; None where the scatter of either is not known.

    ``limit`` is that of `largest_loss`. ``drift`` bounds what else may have changed between runs that were not made in
    turns, relative to the figure [1]; it counts as one more rectangular error.
    """
    worse, better = (candidate, baseline) if lower_is_better else (baseline, candidate)
    estimate = ratio(worse, better)
    if estimate is None:
        return None
    if drift:
        u_drift = drift_u(drift)
        u = math.hypot(estimate.u, u_drift)
        estimate = replace(estimate, u=u, dof=welch_satterthwaite([estimate.u, u_drift], [estimate.dof, math.inf]))
    p_worse = _p_at_most(estimate, limit)
    return Loss(estimate, p_worse, 1 - p_worse)


def drift_u(drift: float) -> float:
    """Compute the standard uncertainty of a logarithm from a bound of what changed [1]: a rectangle down to 1 - drift.

    Downwards the logarithm changes more than upwards, so that the rectangle holds both.
    """
    return -math.log1p(-drift) / math.sqrt(3)


def judge(losses: Sequence[Loss], significance: float = SIGNIFICANCE) -> list[Outcome]:
    """Judge several figures of the same runs, at ``significance``.

    A regression of any is a false alarm if there is none, so their p-values are adjusted by Holm (1979). That all are
    kept is claimed only if each is, which needs no adjustment (intersection-union test, Berger 1982).
    """
    worse = holm([of.p_worse for of in losses])
    return [
        "regression" if p < significance else "no regression" if of.p_kept < significance else "not known"
        for p, of in zip(worse, losses, strict=True)
    ]


def forecast(
    of: Loss, candidate: System, baseline: System, *, limit: float, drift: float = 0.0, pairs: int = 1
) -> Forecast:
    """Forecast what would tell on which side of the limit a loss is, if it stays as estimated.

    Scatter shrinks as the root of the number of runs; what the runs share and ``drift`` stay. ``pairs`` is how many
    figures are judged together.
    """
    estimate = of.estimate
    level = SIGNIFICANCE / pairs if estimate.log > limit else SIGNIFICANCE
    u_drift = drift_u(drift) if drift else 0.0
    fixed = math.hypot(shared_difference(candidate, baseline), u_drift)

    def is_known(expected: Estimate) -> bool:
        return _p_at_most(replace(expected, log=abs(estimate.log - limit)), 0.0) < level

    if not is_known(replace(estimate, u=fixed, dof=math.inf)):
        return Forecast(None, "drift" if 2 * u_drift**2 > fixed**2 else "meters")
    sides = [(side.log.u or 0.0, side.log.dof, side.log.units) for side in (candidate, baseline)]
    over_time = math.sqrt(max(estimate.u**2 - fixed**2 - math.fsum(u * u for u, _, _ in sides), 0.0))
    fewest = min(units for _, _, units in sides)
    parts = [*sides, (over_time, min(dof for _, dof, _ in sides), fewest)]

    def after(more: int) -> Estimate:
        u = [*(u * math.sqrt(units / (units + more)) for u, _, units in parts), fixed]
        dof = welch_satterthwaite(u, [*(dof + more for _, dof, _ in parts), math.inf])
        return replace(estimate, u=math.hypot(*u), dof=dof)

    more = 1 + bisect_left(range(1, MOST_REPEATS + 1), True, key=lambda more: is_known(after(more)))
    return Forecast(more if more <= MOST_REPEATS else None, "scatter")


def _p_at_most(estimate: Estimate, log: float) -> float:
    """Compute the one-sided p-value of a log value that is at most ``log``."""
    beyond = replace(estimate, log=estimate.log - log)
    return beyond.p / 2 if beyond.log > 0 else 1 - beyond.p / 2
