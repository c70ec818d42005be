"""Compare the runs of a candidate with those of a baseline, and judge each figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from wattmark.analysis.comparison.comparison import FEWEST_TO_TEST, MOST_REPEATS, System, around, can_test
from wattmark.analysis.comparison.course import turns
from wattmark.analysis.comparison.looks import LOOK_SIGNIFICANCE
from wattmark.analysis.comparison.ranking import SIGNIFICANCE
from wattmark.analysis.comparison.regression import Forecast, Loss, Outcome, forecast, judge, largest_loss, loss
from wattmark.comparison.compare.groups import Group, build_group
from wattmark.comparison.compare.observation import (
    efficiency_observation,
    power_observation,
    throughput_observation,
)
from wattmark.comparison.compare.wording import not_separable, repeated_unit
from wattmark.comparison.gate.views import Code, GateMetric, GateOut, GateReason, GateRuns, Metric
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval
from wattmark.core.numbers import format_number, signed_interval, signed_number
from wattmark.core.texts import first_of
from wattmark.results.ranking_bars import has_figure, why_without
from wattmark.results.result import Claim, Result

_FIGURES: dict[Metric, Claim] = {
    "efficiency": "efficiency",
    "energy": "efficiency",
    "throughput": "throughput",
    "power": "power",
}
_OBSERVATIONS = {
    "efficiency": efficiency_observation,
    "throughput": throughput_observation,
    "power": power_observation,
}
_NOUNS: dict[Metric, str] = {
    "efficiency": "work per joule",
    "throughput": "work per second",
    "power": "mean power",
    "energy": "energy of the work",
}
_LOWER_IS_BETTER = frozenset({"power", "energy"})
_NO_RUNS_MEND: frozenset[Code] = frozenset({"no-figure", "unknown-uncertainty", "simulated"})
_WORST: tuple[Outcome, ...] = ("regression", "not known", "no regression")


_SHOWN_IDS = 8
"""Ids that a message names; the others are counted."""


@dataclass(frozen=True, slots=True)
class _Side:
    name: str
    results: Sequence[Result]
    group: Group


@dataclass(frozen=True, slots=True)
class _Pair:
    metric: Metric
    candidate: System | None
    baseline: System | None
    candidate_runs: GateRuns
    baseline_runs: GateRuns
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
    1 + ``margin``. ``drift`` bounds what else may have changed between runs that were not made in turns [1]; 0: such
    runs cannot be told apart from time, and the verdict is not known. ``significance`` is that of the tests. Raises
    `InputError` for runs of different work, and where one run would count twice.
    """
    _require_separate(baseline, candidate)
    workload, level = _same_work([*baseline, *candidate])
    new, old = (
        _Side(name, results, build_group(results, budgets=False))
        for name, results in (("candidate", candidate), ("baseline", baseline))
    )
    pairs = [_pair(metric, new, old, margin, drift) for metric in metrics]
    known = [pair.loss for pair in pairs if pair.loss is not None and _is_testable(pair)]
    outcomes = iter(judge(known, significance))
    judged = [
        _judged(pair, next(outcomes) if _is_testable(pair) else "not known", margin, drift, len(known))
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


def _require_separate(baseline: Sequence[Result], candidate: Sequence[Result]) -> None:
    """Raise `InputError` where a side has no run, or where a run would count more than once."""
    sides = {"baseline": [r.run_id for r in baseline], "candidate": [r.run_id for r in candidate]}
    for side, run_ids in sides.items():
        if not run_ids:
            raise InputError(f"The {side} has no run.", "Name or measure runs of both sides.")
        repeated = [run_id for run_id, times in Counter(run_ids).items() if times > 1]
        if repeated:
            raise InputError(
                f"The {side} names more than once: {first_of(repeated, _SHOWN_IDS)}.", "Name each run once."
            )
    both = [run_id for run_id in sides["baseline"] if run_id in set(sides["candidate"])]
    if both:
        raise InputError(
            f"On both sides are: {first_of(both, _SHOWN_IDS)}.", "Name other runs for the baseline or the candidate."
        )
    known: dict[tuple[object, ...], str] = {}
    for result in [*baseline, *candidate]:
        if result.energy_j is None or result.window_begin is None:
            continue
        rate = None if result.throughput is None else result.throughput.value
        measured = result.created, result.window_begin, result.window_end, result.energy_j, rate
        same = known.setdefault(measured, result.run_id)
        if same != result.run_id:
            raise InputError(
                f"Runs {same} and {result.run_id} are one measurement: time, energy and work are equal to the last "
                "digit.",
                "Name one of the two.",
            )


def _same_work(results: Sequence[Result]) -> tuple[str, str]:
    places = {(result.workload, result.level, result.unit) for result in results}
    if len(places) != 1:
        named = "; ".join(f"{workload}, {level}, in {unit}" for workload, level, unit in sorted(places)) or "none"
        raise InputError(
            f"Baseline and candidate did different work: {named[:400]}.", "Choose runs of one workload and level."
        )
    workload, level, _ = places.pop()
    return workload, level


def _pair(metric: Metric, candidate: _Side, baseline: _Side, margin: float, drift: float) -> _Pair:
    new, old = (side.group.by(_FIGURES[metric]) for side in (candidate, baseline))
    runs = _runs(metric, candidate), _runs(metric, baseline)
    reasons = (*_lacks(candidate, metric, runs[0]), *_lacks(baseline, metric, runs[1]))
    if new is None or old is None:
        return _Pair(metric, new, old, *runs, None, reasons)
    reasons = (*reasons, *_doubts(candidate.group, baseline.group, new, old, drift, few=bool(reasons)))
    # Energy of the work is the inverse of work per joule: it is judged by that figure, against a limit of its own.
    lower = metric == "power"
    estimated = loss(new, old, lower_is_better=lower, limit=_limit(metric, margin), drift=drift)
    return _Pair(metric, new, old, *runs, estimated, reasons)


def _limit(metric: Metric, margin: float) -> float:
    return largest_loss(margin, lower_is_better=metric in _LOWER_IS_BETTER)


def _runs(metric: Metric, side: _Side) -> GateRuns:
    causes = {result.run_id: _why_unused(result, _FIGURES[metric]) for result in side.results}
    return GateRuns(
        used=[run_id for run_id, why in causes.items() if why is None],
        unused={run_id: why for run_id, why in causes.items() if why is not None},
    )


def _why_unused(result: Result, claim: Claim) -> str | None:
    """Return in a few words why a run is not among those of a group, as `build_group` chooses them."""
    if why := why_without(result, claim):
        return why
    if has_figure(result, claim):
        fits = _OBSERVATIONS[claim](result) is not None
        return None if fits else "its figure is 0, or out of scale, or its uncertainty is"
    missing = {"no work was counted": claim != "power" and result.throughput is None,
               "no power was measured": claim != "throughput" and result.power is None}  # fmt: skip
    return " and ".join(cause for cause, applies in missing.items() if applies) or "the figure is not known"


def _lacks(side: _Side, metric: Metric, runs: GateRuns) -> list[GateReason]:
    """Explain why the runs of a side are too few to judge; empty where they are enough."""
    if not runs.used:
        why = ", ".join(dict.fromkeys(runs.unused.values()))
        remedy = " Measure with --ops or --work." if "no work was counted" in why else ""
        text = f"No run of the {side.name} can be compared by {_NOUNS[metric]}: {why}.{remedy}"
        is_figure_there = any(has_figure(result, _FIGURES[metric]) for result in side.results)
        return [GateReason(code="not-ranked" if is_figure_there else "no-figure", text=text)]
    n = len(runs.used)
    if n < FEWEST_TO_TEST:
        text = f"The {side.name} has {_count(n, 'usable run')}, and {FEWEST_TO_TEST} are needed. Measure it again."
        return [GateReason(code="too-few-runs", text=text)]
    if side.group.by(_FIGURES[metric]) is None:
        text = f"No run of the {side.name} can be compared by {_NOUNS[metric]}: no ± is known."
        return [GateReason(code="not-ranked", text=text)]
    return []


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def _doubts(
    candidate: Group, baseline: Group, new: System, old: System, drift: float, *, few: bool
) -> list[GateReason]:
    """List why the runs of both sides cannot tell, or tell less than it seems."""
    reasons = []
    if not few and not can_test(new, old):
        text = "The meters differ and their uncertainty is not known. Measure both with one meter."
        reasons.append(GateReason(code="unknown-uncertainty", text=text))
    if (candidate.view.kind == "simulated") != (baseline.view.kind == "simulated"):
        text = "The power of one side is simulated. Measure both."
        reasons.append(GateReason(code="simulated", text=text))
    if not drift and (order := turns(new.course, old.course)) != "in turns":
        why = not_separable(order)
        text = (
            f"{why[0].upper()}{why[1:]}. Measure both by turns, or state with --drift by how much the bench differs "
            "from time to time."
        )
        reasons.append(GateReason(code="not-in-turns", text=text))
    if candidate.view.program_versions != baseline.view.program_versions:
        text = "The load program is not of one version; the difference may be all of its version."
        reasons.append(GateReason(code="program-differs", text=text))
    return reasons


def _bars(reasons: Sequence[GateReason]) -> bool:
    return any(reason.code not in ("program-differs", "too-noisy") for reason in reasons)


def _is_testable(pair: _Pair) -> bool:
    return pair.loss is not None and not _bars(pair.reasons)


def _judged(pair: _Pair, outcome: Outcome, margin: float, drift: float, pairs: int) -> GateMetric:
    change = None if pair.loss is None else _change(pair)
    reasons, more = list(pair.reasons), None
    if outcome == "not known" and _is_testable(pair) and pair.loss and pair.candidate and pair.baseline:
        limit = _limit(pair.metric, margin)
        expected = forecast(pair.loss, pair.candidate, pair.baseline, limit=limit, drift=drift, pairs=pairs)
        text, more = _too_noisy(expected, repeated_unit(pair.candidate, pair.baseline), drift), expected.more
        reasons.append(GateReason(code="too-noisy", text=text))
    sentences = [_text(pair.metric, outcome, change, margin), *(reason.text for reason in reasons), *_left_out(pair)]
    return GateMetric(
        metric=pair.metric,
        outcome=outcome,
        baseline=pair.baseline_runs,
        candidate=pair.candidate_runs,
        change=change,
        p=None if pair.loss is None else pair.loss.p_worse,
        repeats_needed=more,
        text=" ".join(sentences),
        reasons=reasons,
    )


def _too_noisy(expected: Forecast, unit: str, drift: float) -> str:
    """Explain why runs do not show on which side of the limit a figure is, and what would."""
    return {
        "drift": (
            f"A drift of {format_number(100 * drift, 3)} % hides on which side of the limit it is, however many runs "
            "are made. Measure both by turns."
        ),
        "meters": (
            "The uncertainty of the meters hides on which side of the limit it is, however many runs are made. Measure "
            "both with one better meter, or choose a limit that is farther from the change."
        ),
        "scatter": (
            f"More than {MOST_REPEATS} more {unit}s of each would be needed to show on which side of the limit it is. "
            "Find out why they scatter, or choose a limit that is farther from the change."
            if expected.more is None
            else f"About {_count(expected.more, f'more {unit}')} of each would show on which side of the limit it is."
        ),
    }[expected.hindrance]


def _change(pair: _Pair) -> Interval | None:
    if pair.loss is None:
        return None
    estimate = pair.loss.estimate
    of_loss = around(estimate.value, estimate)
    if pair.metric in _LOWER_IS_BETTER:
        return of_loss
    ends = (None, None) if of_loss.low is None or of_loss.high is None else (1 / of_loss.high, 1 / of_loss.low)
    return Interval(value=1 / of_loss.value, low=ends[0], high=ends[1])


def _text(metric: Metric, outcome: Outcome, change: Interval | None, margin: float) -> str:
    noun, limit = _NOUNS[metric], f"{format_number(100 * margin, 3)} %"
    said = {
        "regression": f"{noun} got worse by more than {limit}",
        "no regression": f"{noun} is not worse by more than {limit}",
        "not known": f"whether {noun} got worse by more than {limit} is not known",
    }[outcome]
    sentence = f"{said[0].upper()}{said[1:]}"
    return f"{sentence}." if change is None else f"{sentence}: {in_percent(change)}."


def in_percent(change: Interval) -> str:
    """Write a change with its interval: "-4.8 % (-5.1 to -4.5 %)"."""
    if change.low is None or change.high is None:
        return signed_number(100 * (change.value - 1), 3, "%")
    value, low, high = signed_interval(*(100 * (end - 1) for end in (change.value, change.low, change.high)))
    return f"{value} % ({low} to {high} %)"


def _left_out(pair: _Pair) -> list[str]:
    """Describe in one sentence which runs were not used; empty where all were."""
    causes: dict[str, list[str]] = {}
    for run_id, why in [*pair.baseline_runs.unused.items(), *pair.candidate_runs.unused.items()]:
        causes.setdefault(why, []).append(run_id)
    said = "; ".join(f"{first_of(run_ids, _SHOWN_IDS)} ({why})" for why, run_ids in causes.items())
    return [f"Not used: {said}."] if said else []
