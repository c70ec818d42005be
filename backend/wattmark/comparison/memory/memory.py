"""Watts against DIMM count for one server, with the answer in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from wattmark.analysis.comparison.rounding import p_words
from wattmark.analysis.memory.memory import MemoryFit, fit_memory
from wattmark.analysis.memory.slopes import AMB_MARGIN_W, AMB_W, CONFOUNDED, hold_against
from wattmark.analysis.refusal import Refused
from wattmark.comparison.compare.installations import REMEDY, installations
from wattmark.comparison.compare.observation import memory_run, meters
from wattmark.comparison.compare.views import ClaimOut, ExcludedPoint, MemoryOut, MemoryPoint, ModuleKind
from wattmark.comparison.memory.changed_too import changed_too
from wattmark.comparison.memory.memory_idle import idle_line
from wattmark.comparison.memory.module_kinds import ALL, choose_kind, mixture, module_kind, module_kinds
from wattmark.comparison.memory.slope_words import order_words, slope_remark, slope_words, why_unbounded
from wattmark.core.numbers import format_alone
from wattmark.core.quantity import Quantity, bare
from wattmark.results.disagreement import disagreement
from wattmark.results.overrides import override_texts
from wattmark.results.plus_minus import joined, plus_minus_text
from wattmark.results.provenance import balance_warnings
from wattmark.results.ranking_bars import inclusion_text, inclusions_by_run, not_ranked_explanation, why_not_ranked
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

LINE_POINTS = 25
LACK_OF_FIT = 0.05
TWO_COUNTS = 2
ONLY_TWO = "Two counts cannot show whether each DIMM costs the same, nor what else changed with the count."


def memory_view(
    results: Sequence[Result],
    server: str,
    workload: str,
    level: str,
    planted: dict[str, float] | None = None,
    claim: tuple[float, float] = (AMB_W, AMB_MARGIN_W),
    fitted: Mapping[str, str] | None = None,
    modules: str | None = None,
    records: Sequence[RunRecord] = (),
) -> MemoryOut:
    """Fit wall power over DIMM count from the runs of one server under one workload and level [W/DIMM].

    Runs that may not be ranked by full-load power are excluded and listed with the reason, and simulated ones beside
    measured ones. ``planted`` is what a simulated server's load model holds; it is passed through, never used.
    ``claim`` is the slope that is tested, and the margin within which it counts as equal [W/DIMM]. Points come by DIMM
    count, capacity, type and channels.
    ``modules`` names the kind of modules to show, or `ALL` of them; None: the kind with most DIMM counts. Raises
    `InputError` where no run has them.
    ``refusal`` says why there is no fit. ``fitted`` names the installation of each run, by its id, where other runs
    than these help to determine it. ``records`` are those of the runs: they tell what else changes with the count.
    """
    own = [r for r in results if (r.server, r.workload, r.level) == (server, workload, level)]
    fitted = installations(results) if fitted is None else fitted
    kinds, chosen, own = select_modules(own, modules)
    counted = counted_runs(own)
    view = MemoryOut(
        server=server,
        workload=workload,
        level=level,
        modules=chosen,
        kinds=kinds,
        points=[_point(r, r.power.bare) for r in sorted(counted, key=_order) if r.power is not None],
        excluded=[_excluded(r) for r in _not_counted(own)],
        throughput_unit=next((r.throughput_unit for r in counted), ""),
        efficiency_unit=next((r.efficiency_unit for r in counted), ""),
        watts_per_dimm=None,
        intercept_w=None,
        line=[],
        theil_sen_w=None,
        lack_of_fit_p=None,
        statement="",
        simulated=any(r.simulated for r in counted),
        warnings=[*balance_warnings(counted), *changed_too({r.run_id for r in counted}, records)],
        planted=planted,
        idle=idle_line(counted, fitted),
    )
    try:
        fit = fit_counted(counted, fitted)
    except Refused as refusal:
        statement = " ".join([refusal.text, *choice_sentences(own), *mixture(kinds, chosen)])
        return view.model_copy(update={"statement": statement, "refusal": refusal.text})
    drawn = view.model_copy(update=_drawn(fit, counted, [*choice_sentences(own), *mixture(kinds, chosen)]))
    more = _more(fit, counted, claim)
    idle_sentences = [] if view.idle is None else [view.idle.statement]
    statement = " ".join([drawn.statement, *idle_sentences, *more.pop("sentences"), *view.warnings])
    return drawn.model_copy(update={**more, "statement": statement})


def _order(r: Result) -> tuple[object, ...]:
    """Return the sort key of a run: by what its slots hold."""
    channels = tuple(r.memory.modules.values()) if r.memory else ()
    return r.dimm_count or 0, r.memory_gib or 0.0, r.memory.type if r.memory else "", channels, r.run_id


def _more(fit: MemoryFit, results: Sequence[Result], claim: tuple[float, float]) -> dict[str, Any]:
    """Test the slope against a claim, and compute its part behind the power supply."""
    why = order_words(fit.turns)
    fields: dict[str, Any] = {"sentences": [], "turns": fit.turns, "remark": slope_remark(fit)}
    try:
        test = hold_against(fit, *claim)
        if why is None:
            fields["claim"] = ClaimOut.model_validate({**asdict(test), "refuted": test.refuted, "text": test.text})
        else:
            fields["claim"] = _undecided(*claim, why)
        fields["sentences"].append(fields["claim"].text)
    except Refused as refusal:
        if refusal.reason == CONFOUNDED and why is not None:
            fields["claim"] = _undecided(*claim, why)
            fields["sentences"].append(f"The claim of {claim[0]:g} W per DIMM is neither confirmed nor rejected.")
        else:
            why_none = f"No claim is tested: {refusal.text}"
            fields["sentences"] += [why_none] if why is None else [why_none, f"{why[0].upper()}{why[1:]}."]
    supply_efficiencies = [r.supply_efficiency for r in results if r.supply_efficiency is not None]
    if supply_efficiencies and len(supply_efficiencies) == len(results):
        share = math.fsum(supply_efficiencies) / len(supply_efficiencies)
        fields["watts_per_dimm_dc"] = fit.slope * share
        fields["sentences"].append(
            f"On the DC side of the power supply this is {format_alone(fit.slope * share, 'W')} per DIMM: by its "
            f"declared efficiency curve, 1 W at the wall gives {share:.3f} W."
        )
    return fields


def _undecided(claim_w: float, margin_w: float, why: str) -> ClaimOut:
    """Test a claim with a slope that is not separable from time: undecided."""
    text = f"The claim of {claim_w:g} W per DIMM is neither confirmed nor rejected: {why}."
    return ClaimOut(claim_w=claim_w, margin_w=margin_w, p=None, refuted=False, equivalent=False, text=text)


def counted_runs(results: Sequence[Result]) -> list[Result]:
    """Select the runs that may be ranked by full-load power and state their DIMM count.

    Measured ones alone where there are any: a simulated run is not a repeat of a measured one.
    """
    counted = [r for r in results if _counts(r)]
    return [r for r in counted if not r.simulated] or counted


def select_modules(results: Sequence[Result], modules: str | None) -> tuple[list[ModuleKind], str, list[Result]]:
    """Select the runs of one kind of modules (None: that with most DIMM counts); return all kinds, it, and its runs."""
    kinds = module_kinds(counted_runs(results))
    chosen = choose_kind(kinds, modules)
    return kinds, chosen, [r for r in results if chosen in (ALL, module_kind(r))]


def choice_sentences(results: Sequence[Result]) -> list[str]:
    """Explain how many runs are excluded and why, and which count by a person's choice."""
    left = _not_counted(results)
    causes = dict.fromkeys(why_not_ranked(r, "power") or _missing(r) for r in left)
    runs = "1 run is" if len(left) == 1 else f"{len(left)} runs are"
    sentences = [f"{runs} excluded: {', '.join(causes)}."] if left else []
    return [*sentences, *(f"{text}." for text in inclusions_by_run(counted_runs(results), "power"))]


def _not_counted(results: Sequence[Result]) -> list[Result]:
    counted = {r.run_id for r in counted_runs(results)}
    return sorted((r for r in results if r.run_id not in counted), key=_order)


def all_known(results: Sequence[Result]) -> bool:
    """Return whether the power of every run has its ±."""
    return all(r.power is not None and r.power.u is not None for r in results)


def _missing(r: Result) -> str:
    return "no DIMM count or no power" if memory_run(r) is None else "simulated and measured runs together"


def _counts(r: Result) -> bool:
    return why_not_ranked(r, "power") is None and memory_run(r) is not None


def fit_counted(results: Sequence[Result], fitted: Mapping[str, str]) -> MemoryFit:
    """Fit wall power over DIMM count; ``fitted`` names the installation of each run by its id.

    Raises `Refused` with the reason why there is no fit.
    """
    _require_known_meter(results)
    return fit_memory([run for r in results if (run := memory_run(r, fitted[r.run_id])) is not None])


def _point(r: Result, power: Quantity) -> MemoryPoint:
    return MemoryPoint(
        run_id=r.run_id,
        configuration=r.configuration,
        title=r.configuration_title,
        dimm_count=r.dimm_count or 0,
        memory_gib=r.memory_gib,
        memory_type=None if r.memory is None else r.memory.type,
        channels={} if r.memory is None else r.memory.modules,
        balanced=None if r.memory is None else r.memory.balanced,
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


def _excluded(r: Result) -> ExcludedPoint:
    missing = "Simulated, while other runs of this server were measured."
    if memory_run(r) is None:
        missing = "DIMM count not known." if r.dimm_count is None else next(iter(r.notes), "No power.")
    return ExcludedPoint(
        run_id=r.run_id,
        configuration=r.configuration,
        title=r.configuration_title,
        dimm_count=r.dimm_count,
        power=bare(r.power),
        simulated=r.simulated,
        traceable=r.traceable,
        reason=not_ranked_explanation(r, "power") or missing,
    )


def _require_known_meter(results: Sequence[Result]) -> None:
    """Refuse runs of different meters without a known uncertainty."""
    if not results:
        raise Refused("no-runs", "No run that is ranked by full-load power has both a DIMM count and a power.")
    if len({meters(r) for r in results}) > 1 and not all_known(results):
        raise Refused("meters-differ", "The runs were measured by different meters whose uncertainty is not known.")


def _drawn(fit: MemoryFit, results: Sequence[Result], choices: Sequence[str]) -> dict[str, object]:
    counts = sorted({r.dimm_count for r in results if r.dimm_count is not None})
    return {
        "watts_per_dimm": fit.interval.complete_if(all_known(results)),
        "intercept_w": fit.intercept,
        "line": fit.line(np.linspace(counts[0], counts[-1], LINE_POINTS).tolist()) if fit.bounded else [],
        "theil_sen_w": fit.theil_sen,
        "lack_of_fit_p": fit.lack_of_fit_p,
        "statement": _statement(fit, results, counts, choices),
    }


def seating(fit: MemoryFit) -> list[str]:
    """Explain the sources of the ± of a slope, what it does not include, and what would narrow it."""
    runs = len(fit.runs)
    if (unbounded := why_unbounded(fit)) is not None:
        return [unbounded]
    if fit.one_installation_each and runs > len(fit.spread.units):
        free = len(fit.spread.units) - 2
        return [
            f"Each DIMM count was installed once, so the interval comes from the scatter of the {free + 2} means about "
            "the line "
            f"({free} degree{'' if free == 1 else 's'} of freedom); re-seating between repeats ({REMEDY}) or another "
            "DIMM count would narrow it."
        ]
    if not fit.one_installation_each and runs > len(fit.spread.units):
        return [f"The interval comes from the means of {len(fit.spread.units)} installations."]
    return []


def _statement(fit: MemoryFit, results: Sequence[Result], counts: Sequence[int], choices: Sequence[str]) -> str:
    """Describe the power of a DIMM, its uncertainty, and what the figure includes."""
    cost, interval = slope_words(fit.interval)
    sentences = [
        f"{'Simulated power: each' if any(r.simulated for r in results) else 'Each'} DIMM costs {cost}"
        f"{interval}, power-supply loss included: straight line through "
        f"{len(results)} runs with {_listed(counts)} DIMMs.",
        *seating(fit),
    ]
    if fit.lack_of_fit_p is not None and fit.lack_of_fit_p < LACK_OF_FIT:
        cause = "the cost depends on the count"
        cause += ", or re-installing the modules changed it" if fit.one_installation_each else ""
        sentences.append(f"The points do not lie on a line ({p_words(fit.lack_of_fit_p)}): {cause}.")
    if len(counts) == TWO_COUNTS:
        sentences.append(ONLY_TWO)
    if not all_known(results):
        sentences.append("The interval covers only scatter: the uncertainty of the meter is not known.")
    return " ".join([*sentences, *choices, *_channels(results)])


def _channels(results: Sequence[Result]) -> list[str]:
    """Explain that the DIMM count changed the memory channels in use, where it did."""
    channels = {
        (r.dimm_count, len(r.memory.modules)) for r in results if r.memory and r.memory.modules and r.dimm_count
    }
    if len({in_use for _, in_use in channels}) < 2:
        return []
    shown = ", ".join(f"{in_use} with {count} DIMMs" for count, in_use in sorted(channels))
    return [
        f"The DIMM count also changes the memory channels in use ({shown}) and so the throughput: compare performance "
        "per watt as well."
    ]


def _listed(counts: Sequence[int]) -> str:
    return " and ".join([", ".join(str(c) for c in counts[:-1]), str(counts[-1])])
