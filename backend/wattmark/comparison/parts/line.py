"""Watts against the number of parts of one kind for one server, with the answer in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from wattmark.analysis.comparison.rounding import p_words
from wattmark.analysis.parts.fit import LACK_OF_FIT, CountFit, fit_counts
from wattmark.analysis.parts.slopes import CONFOUNDED, Claim, hold_against
from wattmark.analysis.refusal import Refused
from wattmark.comparison.compare.installations import REMEDY
from wattmark.comparison.compare.observation import counted_run, meters
from wattmark.comparison.parts.changed_too import changed_too
from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.parts.idle import idle_line
from wattmark.comparison.parts.kinds import ALL, choose_kind, kinds_of, listed_counts, mixture
from wattmark.comparison.parts.rates import rates_of
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
    fit, refusal = fit_counted(counted, fitted, counting)
    slope = None if fit is None else fit.interval.complete_if(all_known(counted))
    idle = idle_line(counted, fitted, counting)
    warnings = [*counting.warnings(counted), *changed_too(counted, records, counting)]
    sentences = [*choice_sentences(own, counting), *mixture(kinds, chosen, counting.part)]
    tested: ClaimOut | None = None
    watts_dc: float | None = None
    if fit is None:
        sentences = [refusal or "", *sentences]
    else:
        tested, of_claim = _tested(fit, claim)
        watts_dc, of_supply = _behind_supply(fit, counted, counting)
        sentences = [*_of_slope(fit, counted, counting), *sentences, *counting.remarks(counted)]
        sentences += [*([] if idle is None else [idle.statement]), *of_claim, *of_supply, *warnings]
    return PartsOut(
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
        watts_per_part=slope,
        intercept_w=None if fit is None else fit.intercept,
        line=fit.across() if fit is not None and fit.bounded else [],
        theil_sen_w=None if fit is None else fit.theil_sen,
        lack_of_fit_p=None if fit is None else fit.lack_of_fit_p,
        statement=" ".join(sentences),
        refusal=refusal,
        simulated=any(r.simulated for r in counted),
        warnings=warnings,
        claim=tested,
        watts_per_part_dc=watts_dc,
        idle=idle,
        turns=None if fit is None else fit.turns,
        remark=None if fit is None else slope_remark(fit),
        rates=rates_of(slope, None if idle is None else idle.watts_per_part, counted, records, fitted, counting),
    )


def _in_order(results: Sequence[Result], counting: Counting) -> list[Result]:
    return sorted(results, key=lambda r: (counting.count(r) or 0, *counting.order(r), r.run_id))


def _tested(fit: CountFit, claim: tuple[float, float] | None) -> tuple[ClaimOut | None, list[str]]:
    """Test the slope against a claim, in figures and in sentences; undecided where time may have made it."""
    order = order_words(fit.turns, fit.part)
    in_time = [] if order is None else [f"{order[0].upper()}{order[1:]}."]
    if claim is None:
        return None, in_time if why_unbounded(fit) is None else []
    claim_w, margin_w = claim
    test: Claim | None = None
    try:
        test = hold_against(fit, claim_w, margin_w)
    except Refused as refusal:
        if refusal.reason != CONFOUNDED:
            return None, [f"No claim is tested: {refusal.text}", *in_time]
    if test is not None and order is None:
        out = ClaimOut(
            claim_w=claim_w,
            margin_w=margin_w,
            p=test.p,
            refuted=test.refuted,
            equivalent=test.equivalent,
            text=test.text,
        )
        return out, [out.text]
    undecided = f"The claim of {claim_w:g} W per {fit.part.one} is neither confirmed nor rejected"
    text = f"{undecided}: {order}."
    out = ClaimOut(claim_w=claim_w, margin_w=margin_w, p=None, refuted=False, equivalent=False, text=text)
    return out, [f"{undecided}." if test is None else text]  # without a ± the statement says why already


def _behind_supply(fit: CountFit, results: Sequence[Result], counting: Counting) -> tuple[float | None, list[str]]:
    """Compute the slope on the DC side of the power supplies [W/part], and say it; None where no curve is declared."""
    efficiencies = [r.supply_efficiency for r in results if r.supply_efficiency is not None]
    if not counting.behind_supply or len(efficiencies) < len(results):
        return None, []
    share = math.fsum(efficiencies) / len(efficiencies)
    watts = fit.slope * share
    return watts, [
        f"On the DC side of the power supply this is {format_alone(watts, 'W')} per {fit.part.one}: by its declared "
        f"efficiency curve, 1 W at the wall gives {share:.3f} W."
    ]


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


def fit_counted(
    results: Sequence[Result], fitted: Mapping[str, str], counting: Counting
) -> tuple[CountFit | None, str | None]:
    """Fit wall power over the number of parts, or explain why there is no fit.

    ``fitted`` names the installation of each run by its id.
    """
    if not results:
        return None, f"No run that is ranked by full-load power has both a {counting.part.one} count and a power."
    if len({meters(r) for r in results}) > 1 and not all_known(results):
        return None, "The runs were measured by different meters whose uncertainty is not known."
    runs = [run for r in results if (run := counted_run(r, counting.count(r), fitted[r.run_id])) is not None]
    try:
        return fit_counts(runs, counting.part), None
    except Refused as refusal:
        return None, refusal.text


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


def _of_slope(fit: CountFit, results: Sequence[Result], counting: Counting) -> list[str]:
    """Describe the power of a part in sentences, its uncertainty, and what the figure includes."""
    part = fit.part
    counts = sorted({count for r in results if (count := counting.count(r)) is not None})
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
    return sentences
