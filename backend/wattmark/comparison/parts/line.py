"""Watts against the number of parts of one kind for one server, with the answer in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from wattmark.analysis.comparison.rounding import p_words
from wattmark.analysis.parts.fit import LACK_OF_FIT, CountFit, fit_counts
from wattmark.analysis.parts.slopes import CONFOUNDED, hold_against
from wattmark.analysis.refusal import Refused
from wattmark.comparison.compare.installations import REMEDY
from wattmark.comparison.compare.observation import counted_run, meters
from wattmark.comparison.parts.changed_too import changed_too
from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.parts.idle import idle_line
from wattmark.comparison.parts.kinds import ALL, choose_kind, kinds_of, listed_counts, mixture
from wattmark.comparison.parts.slope_words import order_words, slope_remark, slope_words, why_unbounded
from wattmark.comparison.parts.views import ClaimOut, CountedKind, ExcludedPart, PartPoint, PartsOut
from wattmark.core.numbers import format_alone
from wattmark.core.quantity import Quantity, bare
from wattmark.results.disagreement import disagreement
from wattmark.results.overrides import override_texts
from wattmark.results.plus_minus import joined, plus_minus_text
from wattmark.results.ranking_bars import (
    inclusion_text,
    inclusions_by_run,
    memory_contradicted,
    not_ranked_explanation,
    why_not_ranked,
)
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

TWO_COUNTS = 2


def parts_view(
    results: Sequence[Result],
    work: tuple[str, str, str],
    counting: Counting,
    fitted: Mapping[str, str],
    wanted: str | None = None,
    claim: tuple[float, float] | None = None,
    records: Sequence[RunRecord] = (),
) -> PartsOut:
    """Fit wall power over the number of parts from the runs of one server, workload and level [W/part].

    Runs that may not be ranked by full-load power are excluded and listed with the reason, as are those whose memory
    contradicts the bench file, and simulated ones beside measured ones. Points come by count. ``wanted`` names the kind
    of parts to show, or `ALL` of them; None: the kind with most counts. Raises `InputError` where no run has them.
    ``claim`` is the slope that is tested, and the margin within which it counts as equal [W/part]. ``refusal`` says why
    there is no fit. ``fitted`` names the installation of each run by its id. ``records`` are those of the runs: they
    tell what else changes with the count.
    """
    server, workload, level = work
    own = [r for r in results if (r.server, r.workload, r.level) == work]
    kinds, chosen, own = select_kind(own, counting, wanted)
    counted = counted_runs(own, counting)
    view = PartsOut(
        kind=counting.part.one,
        part=chosen,
        parts=kinds,
        server=server,
        workload=workload,
        level=level,
        points=[_point(r, r.power.bare, counting) for r in _in_order(counted, counting) if r.power is not None],
        excluded=[_excluded(r, counting) for r in _not_counted(own, counting)],
        throughput_unit=next((r.throughput_unit for r in counted), ""),
        efficiency_unit=next((r.efficiency_unit for r in counted), ""),
        watts_per_part=None,
        intercept_w=None,
        line=[],
        theil_sen_w=None,
        lack_of_fit_p=None,
        statement="",
        simulated=any(r.simulated for r in counted),
        warnings=[*counting.warnings(counted), *changed_too(counted, records, counting)],
        idle=idle_line(counted, fitted, counting),
    )
    closing = [*choice_sentences(own, counting), *mixture(kinds, chosen, counting.part)]
    try:
        fit = fit_counted(counted, fitted, counting)
    except Refused as refusal:
        return view.model_copy(update={"statement": " ".join([refusal.text, *closing]), "refusal": refusal.text})
    drawn = view.model_copy(update=_drawn(fit, counted, closing, counting))
    more = _more(fit, counted, claim, counting)
    idle_sentences = [] if view.idle is None else [view.idle.statement]
    statement = " ".join([drawn.statement, *idle_sentences, *more.pop("sentences"), *view.warnings])
    return drawn.model_copy(update={**more, "statement": statement})


def _in_order(results: Sequence[Result], counting: Counting) -> list[Result]:
    return sorted(results, key=lambda r: (counting.count(r) or 0, *counting.order(r), r.run_id))


def _more(
    fit: CountFit, results: Sequence[Result], claim: tuple[float, float] | None, counting: Counting
) -> dict[str, Any]:
    """Test the slope against a claim, and compute its part behind the power supply."""
    part, why = fit.part, order_words(fit.turns, fit.part)
    fields: dict[str, Any] = {"sentences": [], "turns": fit.turns, "remark": slope_remark(fit)}
    if claim is not None:
        fields |= _claim(fit, claim, why)
    elif why is not None and why_unbounded(fit) is None:
        fields["sentences"].append(f"{why[0].upper()}{why[1:]}.")
    supply_efficiencies = [r.supply_efficiency for r in results if r.supply_efficiency is not None]
    if counting.behind_supply and supply_efficiencies and len(supply_efficiencies) == len(results):
        share = math.fsum(supply_efficiencies) / len(supply_efficiencies)
        fields["watts_per_part_dc"] = fit.slope * share
        fields["sentences"].append(
            f"On the DC side of the power supply this is {format_alone(fit.slope * share, 'W')} per {part.one}: by its "
            f"declared efficiency curve, 1 W at the wall gives {share:.3f} W."
        )
    return fields


def _claim(fit: CountFit, claim: tuple[float, float], why: str | None) -> dict[str, Any]:
    """Test the slope against a claim; ``why`` says why it cannot be told from a change with time."""
    try:
        test = hold_against(fit, *claim)
    except Refused as refusal:
        if refusal.reason == CONFOUNDED and why is not None:
            undecided = _undecided(fit, *claim, why)
            text = f"The claim of {claim[0]:g} W per {fit.part.one} is neither confirmed nor rejected."
            return {"claim": undecided, "sentences": [text]}
        why_none = f"No claim is tested: {refusal.text}"
        return {"sentences": [why_none] if why is None else [why_none, f"{why[0].upper()}{why[1:]}."]}
    if why is None:
        tested = ClaimOut.model_validate({**asdict(test), "refuted": test.refuted, "text": test.text})
    else:
        tested = _undecided(fit, *claim, why)
    return {"claim": tested, "sentences": [tested.text]}


def _undecided(fit: CountFit, claim_w: float, margin_w: float, why: str) -> ClaimOut:
    """Test a claim with a slope that is not separable from time: undecided."""
    text = f"The claim of {claim_w:g} W per {fit.part.one} is neither confirmed nor rejected: {why}."
    return ClaimOut(claim_w=claim_w, margin_w=margin_w, p=None, refuted=False, equivalent=False, text=text)


def counted_runs(results: Sequence[Result], counting: Counting) -> list[Result]:
    """Select the runs that may be ranked by full-load power and state how many parts they had.

    A run whose memory contradicts the bench file is none of them, whatever is counted: other modules than declared are
    in its watts. Measured ones alone where there are any: a simulated run is not a repeat of a measured one.
    """
    counted = [r for r in results if _why_not(r) is None and _run(r, counting) is not None]
    return [r for r in counted if not r.simulated] or counted


def select_kind(
    results: Sequence[Result], counting: Counting, wanted: str | None
) -> tuple[list[CountedKind], str, list[Result]]:
    """Select the runs of one kind of parts (None: that with most counts); return all kinds, it, and its runs.

    Where kinds are asked for one by one, one of which no run counts is shown with its excluded runs. Raises
    `InputError` for one that no run has.
    """
    kinds = kinds_of(counted_runs(results, counting), counting)
    named = not counting.mixed and wanted in {counting.kind(r) for r in results}
    chosen = wanted if named and wanted is not None else choose_kind(kinds, wanted, counting)
    return kinds, chosen, [r for r in results if chosen in (ALL, counting.kind(r))]


def choice_sentences(results: Sequence[Result], counting: Counting) -> list[str]:
    """Explain how many runs are excluded and why, and which count by a person's choice."""
    left = _not_counted(results, counting)
    causes = dict.fromkeys(_why_not(r) or _missing(r, counting) for r in left)
    runs = "1 run is" if len(left) == 1 else f"{len(left)} runs are"
    sentences = [f"{runs} excluded: {', '.join(causes)}."] if left else []
    return [*sentences, *(f"{text}." for text in inclusions_by_run(counted_runs(results, counting), "power"))]


def _not_counted(results: Sequence[Result], counting: Counting) -> list[Result]:
    counted = {r.run_id for r in counted_runs(results, counting)}
    return _in_order([r for r in results if r.run_id not in counted], counting)


def all_known(results: Sequence[Result]) -> bool:
    """Return whether the power of every run has its ±."""
    return all(r.power is not None and r.power.u is not None for r in results)


def _run(r: Result, counting: Counting) -> object | None:
    return counted_run(r, counting.count(r))


def _why_not(r: Result) -> str | None:
    contradicted = memory_contradicted(r)
    return why_not_ranked(r, "power") or (contradicted and contradicted[0])


def _missing(r: Result, counting: Counting) -> str:
    if _run(r, counting) is None:
        return f"no {counting.part.one} count or no power"
    return "simulated and measured runs together"


def fit_counted(results: Sequence[Result], fitted: Mapping[str, str], counting: Counting) -> CountFit:
    """Fit wall power over the number of parts; ``fitted`` names the installation of each run by its id.

    Raises `Refused` with the reason why there is no fit.
    """
    _require_known_meter(results, counting)
    runs = [run for r in results if (run := counted_run(r, counting.count(r), fitted[r.run_id])) is not None]
    return fit_counts(runs, counting.part)


def _point(r: Result, power: Quantity, counting: Counting) -> PartPoint:
    return PartPoint(
        run_id=r.run_id,
        configuration=r.configuration,
        title=r.configuration_title,
        count=counting.count(r) or 0,
        power=power,
        idle_power=bare(None if r.idle_subtracted is None else r.idle_subtracted.idle),
        efficiency=bare(r.efficiency),
        throughput=bare(r.throughput),
        simulated=r.simulated,
        traceable=r.traceable,
        overrides=override_texts(r),
        remark=joined([plus_minus_text(r), disagreement(r)]),
        sources_disagree=disagreement(r) is not None,
        inclusion=inclusion_text(r, "power"),
    )


def _excluded(r: Result, counting: Counting) -> ExcludedPart:
    one, count = counting.part.one, counting.count(r)
    missing, contradicted = "Simulated, while other runs of this server were measured.", memory_contradicted(r)
    if _run(r, counting) is None:
        missing = f"{one[0].upper()}{one[1:]} count not known." if count is None else next(iter(r.notes), "No power.")
    return ExcludedPart(
        run_id=r.run_id,
        configuration=r.configuration,
        title=r.configuration_title,
        count=count,
        power=bare(r.power),
        simulated=r.simulated,
        traceable=r.traceable,
        reason=not_ranked_explanation(r, "power") or (missing if contradicted is None else contradicted[1]),
    )


def _require_known_meter(results: Sequence[Result], counting: Counting) -> None:
    """Refuse runs of different meters without a known uncertainty."""
    if not results:
        raise Refused(
            "no-runs",
            f"No run that is ranked by full-load power has both a {counting.part.one} count and a power.",
        )
    if len({meters(r) for r in results}) > 1 and not all_known(results):
        raise Refused("meters-differ", "The runs were measured by different meters whose uncertainty is not known.")


def _drawn(fit: CountFit, results: Sequence[Result], closing: Sequence[str], counting: Counting) -> dict[str, object]:
    counts = sorted({count for r in results if (count := counting.count(r)) is not None})
    return {
        "watts_per_part": fit.interval.complete_if(all_known(results)),
        "intercept_w": fit.intercept,
        "line": fit.across() if fit.bounded else [],
        "theil_sen_w": fit.theil_sen,
        "lack_of_fit_p": fit.lack_of_fit_p,
        "statement": _statement(fit, results, counts, [*closing, *counting.remarks(results)]),
    }


def seating(fit: CountFit) -> list[str]:
    """Explain the sources of the ± of a slope, what it does not include, and what would narrow it."""
    runs, one = len(fit.runs), fit.part.one
    if (unbounded := why_unbounded(fit)) is not None:
        return [unbounded]
    if fit.one_installation_each and runs > len(fit.spread.units):
        free = len(fit.spread.units) - 2
        return [
            f"Each {one} count was installed once, so the interval comes from the scatter of the {free + 2} means "
            f"about the line ({free} degree{'' if free == 1 else 's'} of freedom); re-seating between repeats "
            f"({REMEDY}) or another {one} count would narrow it."
        ]
    if not fit.one_installation_each and runs > len(fit.spread.units):
        return [f"The interval comes from the means of {len(fit.spread.units)} installations."]
    return []


def _statement(fit: CountFit, results: Sequence[Result], counts: Sequence[int], closing: Sequence[str]) -> str:
    """Describe the power of a part, its uncertainty, and what the figure includes."""
    part = fit.part
    cost, interval = slope_words(fit.interval)
    sentences = [
        f"{'Simulated power: each' if any(r.simulated for r in results) else 'Each'} {part.one} costs {cost}"
        f"{interval}, power-supply loss included: straight line through "
        f"{len(results)} runs with {listed_counts(counts)} {part.many}.",
        *seating(fit),
    ]
    if fit.lack_of_fit_p is not None and fit.lack_of_fit_p < LACK_OF_FIT:
        cause = "the cost depends on the count"
        cause += f", or re-installing the {part.pieces} changed it" if fit.one_installation_each else ""
        sentences.append(f"The points do not lie on a line ({p_words(fit.lack_of_fit_p)}): {cause}.")
    if len(counts) == TWO_COUNTS:
        sentences.append(
            f"Two counts cannot show whether each {part.one} costs the same, nor what else changed with the count."
        )
    if not all_known(results):
        sentences.append("The interval covers only scatter: the uncertainty of the meter is not known.")
    return " ".join([*sentences, *closing])
