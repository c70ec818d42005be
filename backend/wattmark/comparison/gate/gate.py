"""Compare the runs of a candidate with those of a baseline, and judge each figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wattmark.analysis.comparison.comparison import FEWEST_TO_TEST, System, around, can_test, more_repeats
from wattmark.analysis.comparison.course import turns
from wattmark.analysis.comparison.looks import LOOK_SIGNIFICANCE
from wattmark.analysis.comparison.ranking import SIGNIFICANCE
from wattmark.analysis.comparison.regression import Loss, Outcome, judge, largest_loss, loss
from wattmark.comparison.compare.groups import Group, build_group
from wattmark.comparison.compare.wording import CHANGES
from wattmark.comparison.gate.views import Code, GateMetric, GateOut, GateReason, Metric
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval
from wattmark.core.numbers import format_number, signed_interval
from wattmark.results.result import Result

_FIGURES = {"efficiency": "efficiency", "energy": "efficiency", "throughput": "throughput", "power": "power"}
_NOUNS: dict[Metric, str] = {
    "efficiency": "work per joule",
    "throughput": "work per second",
    "power": "full-load power",
    "energy": "energy of the work",
}
_LOWER_IS_BETTER = frozenset({"power", "energy"})
_NO_RUNS_MEND: frozenset[Code] = frozenset({"not-ranked", "unknown-uncertainty", "simulated"})
_WORST: tuple[Outcome, ...] = ("regression", "not known", "no regression")


@dataclass(frozen=True, slots=True)
class _Pair:
    metric: Metric
    candidate: System | None
    baseline: System | None
    loss: Loss | None
    reasons: tuple[GateReason, ...]


def gate(
    baseline: Sequence[Result],
    candidate: Sequence[Result],
    metrics: Sequence[Metric],
    margin: float,
    drift: float,
    significance: float = SIGNIFICANCE,
) -> GateOut:
    """Judge whether a candidate is worse than its baseline by more than ``margin`` [1] in any of the figures.

    Work per joule and work per second may fall to 1 - ``margin`` of the baseline, power and energy may rise to
    1 + ``margin``.
    ``drift`` bounds what else may have changed between runs that were not made in turns [1]; 0: such runs cannot be
    told apart from time, and the verdict is not known. ``significance`` is that of the tests. Raises `InputError`
    for runs of different work.
    """
    workload, level = _same_work([*baseline, *candidate])
    groups = build_group(candidate, budgets=False), build_group(baseline, budgets=False)
    pairs = [_pair(metric, *groups, margin, drift) for metric in metrics]
    known = [pair.loss for pair in pairs if pair.loss is not None and not _bars(pair.reasons)]
    outcomes = iter(judge(known, significance))
    judged = [
        _judged(pair, next(outcomes) if pair.loss is not None and not _bars(pair.reasons) else "not known", margin)
        for pair in pairs
    ]
    outcome = next(worst for worst in _WORST if any(metric.outcome == worst for metric in judged))
    return GateOut(
        outcome=outcome,
        valid=all(not _bars(metric.reasons) for metric in judged),
        worse_than_pct=100 * margin,
        drift_pct=100 * drift,
        workload=workload,
        level=level,
        baseline=[result.run_id for result in baseline],
        candidate=[result.run_id for result in candidate],
        metrics=judged,
        text=" ".join(metric.text for metric in judged),
    )


def may_end(baseline: Sequence[Result], candidate: Sequence[Result], metrics: Sequence[Metric], margin: float) -> bool:
    """Return whether a look before the last may end a series of runs by turns: the verdict is known, whatever many
    looks add to the error, or no further runs would make it known.
    """
    verdict = gate(baseline, candidate, metrics, margin, drift=0.0, significance=LOOK_SIGNIFICANCE)
    bars = {reason.code for metric in verdict.metrics for reason in metric.reasons}
    return verdict.outcome != "not known" or not bars.isdisjoint(_NO_RUNS_MEND)


def _same_work(results: Sequence[Result]) -> tuple[str, str]:
    places = {(result.workload, result.level, result.unit) for result in results}
    if len(places) != 1:
        named = "; ".join(f"{workload}, {level}, in {unit}" for workload, level, unit in sorted(places)) or "none"
        raise InputError(
            f"Baseline and candidate did different work: {named[:400]}.", "Choose runs of one workload and level."
        )
    workload, level, _ = places.pop()
    return workload, level


def _pair(metric: Metric, candidate: Group, baseline: Group, margin: float, drift: float) -> _Pair:
    figure = _FIGURES[metric]
    new, old = candidate.by(figure), baseline.by(figure)  # type: ignore[arg-type]
    reasons = tuple(_reasons(figure, candidate, baseline, new, old, drift))
    if new is None or old is None:
        return _Pair(metric, new, old, None, reasons)
    # Energy of the work is the inverse of work per joule: it is judged by that figure, against a limit of its own.
    lower = metric == "power"
    return _Pair(
        metric, new, old, loss(new, old, lower_is_better=lower, limit=_limit(metric, margin), drift=drift), reasons
    )


def _limit(metric: Metric, margin: float) -> float:
    return largest_loss(margin, lower_is_better=metric in _LOWER_IS_BETTER)


def _reasons(
    figure: str, candidate: Group, baseline: Group, new: System | None, old: System | None, drift: float
) -> list[GateReason]:
    reasons = []
    for name, group, system in (("candidate", candidate, new), ("baseline", baseline, old)):
        if system is None:
            why = group.view.not_ranked.get(figure) or "no ± is known"
            text = f"No run of the {name} can be compared by {figure}: {why}."
            reasons.append(GateReason(code="not-ranked", text=text))
        elif system.log.n < FEWEST_TO_TEST:
            text = f"The {name} has {system.log.n} usable runs, and {FEWEST_TO_TEST} are needed. Measure it again."
            reasons.append(GateReason(code="too-few-runs", text=text))
    if new is None or old is None:
        return reasons
    if not can_test(new, old) and not reasons:
        text = "The meters differ and their uncertainty is not known. Measure both with one meter."
        reasons.append(GateReason(code="unknown-uncertainty", text=text))
    if (candidate.view.kind == "simulated") != (baseline.view.kind == "simulated"):
        text = "The power of one side is simulated. Measure both."
        reasons.append(GateReason(code="simulated", text=text))
    if not drift and turns(new.course, old.course) != "in turns":
        text = (
            f"Measured one after the other: everything that changed in between ({CHANGES}) is in the difference. "
            "Measure both by turns, or state with --drift by how much the bench differs from time to time."
        )
        reasons.append(GateReason(code="not-in-turns", text=text))
    if candidate.view.program_versions != baseline.view.program_versions:
        text = "The load program is not of one version; the difference may be all of its version."
        reasons.append(GateReason(code="program-differs", text=text))
    return reasons


def _bars(reasons: Sequence[GateReason]) -> bool:
    return any(reason.code not in ("program-differs", "too-noisy") for reason in reasons)


def _judged(pair: _Pair, outcome: Outcome, margin: float) -> GateMetric:
    change = None if pair.loss is None else _change(pair)
    reasons, more = list(pair.reasons), None
    if outcome == "not known" and not _bars(reasons) and pair.loss and pair.candidate and pair.baseline:
        apart = abs(pair.loss.estimate.log - _limit(pair.metric, margin))
        more = more_repeats(pair.candidate, pair.baseline, math.expm1(apart))
        told = f"about {more} more runs of each would tell" if more else "no number of runs would tell"
        reasons.append(GateReason(code="too-noisy", text=f"The interval holds the limit; {told}."))
    return GateMetric(
        metric=pair.metric,
        outcome=outcome,
        change=change,
        p=None if pair.loss is None else pair.loss.p_worse,
        repeats_needed=more,
        text=_text(pair.metric, outcome, change, margin, reasons),
        reasons=reasons,
    )


def _change(pair: _Pair) -> Interval | None:
    if pair.loss is None:
        return None
    estimate = pair.loss.estimate
    of_loss = around(estimate.value, estimate)
    if pair.metric in _LOWER_IS_BETTER:
        return of_loss
    ends = (None, None) if of_loss.low is None or of_loss.high is None else (1 / of_loss.high, 1 / of_loss.low)
    return Interval(value=1 / of_loss.value, low=ends[0], high=ends[1])


def _text(
    metric: Metric, outcome: Outcome, change: Interval | None, margin: float, reasons: Sequence[GateReason]
) -> str:
    noun, limit = _NOUNS[metric], f"{format_number(100 * margin, 3)} %"
    said = {
        "regression": f"{noun} got worse by more than {limit}",
        "no regression": f"{noun} is not worse by more than {limit}",
        "not known": f"whether {noun} got worse by more than {limit} is not known",
    }[outcome]
    sentence = f"{said[0].upper()}{said[1:]}"
    if change is not None and change.low is not None and change.high is not None:
        value, low, high = signed_interval(*(100 * (end - 1) for end in (change.value, change.low, change.high)))
        sentence += f": {value} % ({low} to {high} %)"
    return " ".join([f"{sentence}.", *(reason.text for reason in reasons)])
