"""Whether a figure got worse by more than a margin: shown, excluded, or not known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from wattmark_calibration import welch_satterthwaite

from wattmark.analysis.comparison.comparison import Estimate, System, ratio
from wattmark.analysis.comparison.ranking import SIGNIFICANCE, holm

Outcome = Literal["no regression", "regression", "not known"]


@dataclass(frozen=True, slots=True)
class Loss:
    """By which factor a candidate is worse than its baseline, and how sure it is on which side of the margin.

    ``p_worse`` is the p-value of "at most the margin", ``p_kept`` that of "at least the margin", each one-sided.
    """

    estimate: Estimate
    p_worse: float
    p_kept: float


def loss(
    candidate: System, baseline: System, *, lower_is_better: bool, margin: float, drift: float = 0.0
) -> Loss | None:
    """Estimate by which factor a candidate is worse [1]; None where the scatter of either is not known.

    ``margin`` is the largest loss that does not matter [1]. ``drift`` bounds what else may have changed between runs
    that were not made in turns, relative to the figure [1]; it counts as one more rectangular error.
    """
    worse, better = (candidate, baseline) if lower_is_better else (baseline, candidate)
    estimate = ratio(worse, better)
    if estimate is None:
        return None
    if drift:
        u_drift = math.log1p(drift) / math.sqrt(3)
        u = math.hypot(estimate.u, u_drift)
        estimate = replace(estimate, u=u, dof=welch_satterthwaite([estimate.u, u_drift], [estimate.dof, math.inf]))
    p_worse = _p_at_most(estimate, math.log1p(margin))
    return Loss(estimate, p_worse, 1 - p_worse)


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


def _p_at_most(estimate: Estimate, log: float) -> float:
    """Compute the one-sided p-value of a log value that is at most ``log``."""
    beyond = replace(estimate, log=estimate.log - log)
    return beyond.p / 2 if beyond.log > 0 else 1 - beyond.p / 2
