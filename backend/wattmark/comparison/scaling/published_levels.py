"""Power against load in published results: energy proportionality, idle share, best level, and how they spread."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

import numpy as np

from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.proportionality import Proportionality, proportionality
from wattmark.comparison.published.dates import possible_dates
from wattmark.comparison.published.groups import year_of
from wattmark.comparison.published.imported_groups import KEY, build_of, level_name, maker_of, name_of, units_of
from wattmark.comparison.published.published_result import PublishedLevel, PublishedSummary
from wattmark.comparison.scaling.best_load import best_load, knee_pct
from wattmark.comparison.scaling.load_methods import load_methods
from wattmark.comparison.scaling.scaling_views import (
    LoadLevelRow,
    LoadLevelsOut,
    LoadSpread,
    PublishedCurve,
    PublishedCurvesOut,
)
from wattmark.core.interval import Interval, PlusMinus
from wattmark.core.numbers import format_number
from wattmark.results.names import group_names

NO_PLUS_MINUS = "Published figures: no ± is known."
FEWEST_SPREAD = 5
"""Results at a load from which on quartiles say something."""


def published_curves(
    summaries: Sequence[PublishedSummary], workload: str | None, keys: Collection[str]
) -> PublishedCurvesOut:
    """Compute the figures of all published results of a workload, the spread of their watts, and some in full.

    ``workload`` None: the one with most results. One whose results count work in several units is as many workloads,
    each named with its unit.
    """
    leveled = [result for result in summaries if len(result.levels) > 1]
    names = _work_names(leveled)
    counts = Counter(names[result.id] for result in leveled)
    chosen = max(counts, key=lambda name: counts[name], default=None) if workload is None else workload
    own = [result for result in leveled if names[result.id] == chosen]
    curves = [published_load_levels(result) for result in own]
    titles = group_names(curves)
    named = {curve.key: curve.model_copy(update={"name": titles[curve.key]}) for curve in curves}
    return PublishedCurvesOut(
        workload=chosen,
        workloads=sorted(counts),
        efficiency_unit=curves[0].efficiency_unit if curves else "",
        results=[_figures(result, named[f"{KEY}{result.id}"]) for result in own],
        spread=_spread(curves),
        curves=[named[key] for key in dict.fromkeys(keys) if key in named],
        methods=load_methods(),
    )


def _work_names(results: Sequence[PublishedSummary]) -> dict[str, str]:
    """Name the workload of each result by its id, with the unit of work where the workload has several."""
    units: dict[str, set[str]] = defaultdict(set)
    for result in results:
        units[result.workload].add(result.unit)
    return {
        result.id: f"{result.workload} ({result.unit})" if len(units[result.workload]) > 1 else result.workload
        for result in results
    }


def published_load_levels(result: PublishedSummary) -> LoadLevelsOut:
    """Return the published levels with their figures; power at the target load of 0 % is active idle."""
    unit, efficiency_unit = units_of(result)
    ordered = sorted(result.levels, key=lambda level: -level.target_pct)
    curve, reason = _curve(ordered)
    rows = [_row(level, ordered[0], unit) for level in ordered]
    return LoadLevelsOut(
        key=f"{KEY}{result.id}",
        title=name_of(result),
        server=f"{maker_of(result)} {result.model}".strip(),
        configuration=build_of(result) or "as published",
        kind="published",
        workload=result.workload,
        rows=rows,
        overall=Interval(value=result.overall),
        efficiency_unit=efficiency_unit,
        program_versions=[result.program_version] if result.program_version else [],
        energy_proportionality=PlusMinus(value=curve.ep) if curve else None,
        idle_to_peak=PlusMinus(value=curve.idle_to_peak) if curve else None,
        dynamic_range=PlusMinus(value=curve.dynamic_range) if curve else None,
        linear_deviation=PlusMinus(value=curve.linear_deviation) if curve else None,
        best=best_load(rows, {}),
        knee_pct=knee_pct(rows),
        statement=_statement(result, curve, efficiency_unit),
        simulated=False,
        remarks=[*(curve.doubts if curve else ()), *reason, NO_PLUS_MINUS],
    )


def _figures(result: PublishedSummary, curve: LoadLevelsOut) -> PublishedCurve:
    dates = possible_dates(result)
    ep, idle, off, best = curve.energy_proportionality, curve.idle_to_peak, curve.linear_deviation, curve.best
    return PublishedCurve(
        key=curve.key,
        name=curve.name,
        year=year_of(dates.published_on or dates.available_on),
        energy_proportionality=None if ep is None else ep.value,
        idle_to_peak=None if idle is None else idle.value,
        linear_deviation=None if off is None else off.value,
        best_pct=None if best is None else best.load_pct,
        best=None if best is None else best.ops_per_joule.value,
        knee_pct=curve.knee_pct,
    )


def _spread(curves: Sequence[LoadLevelsOut]) -> list[LoadSpread]:
    """Compute the quartiles of watts by those at full load, at every load that enough results have."""
    shares: dict[float, list[float]] = defaultdict(list)
    for curve in curves:
        if curve.rows[0].load_pct == 100:
            for row in curve.rows:
                shares[row.load_pct].append(row.relative_power.value)
    spread = []
    for load, values in sorted(shares.items()):
        if len(values) >= FEWEST_SPREAD:
            low, lower, median, upper, high = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()
            spread.append(
                LoadSpread(
                    load_pct=load,
                    n=len(values),
                    low=low,
                    lower_quartile=lower,
                    median=median,
                    upper_quartile=upper,
                    high=high,
                )
            )
    return spread


def _curve(levels: list[PublishedLevel]) -> tuple[Proportionality | None, list[str]]:
    try:
        return proportionality([level.target_pct for level in levels], [level.power_w for level in levels]), []
    except Refused as refusal:
        return None, [f"Energy proportionality is not known: {refusal.text}"]


def _row(level: PublishedLevel, top: PublishedLevel, unit: str) -> LoadLevelRow:
    return LoadLevelRow(
        load_pct=level.target_pct,
        level=level_name(level.target_pct),
        throughput=Interval(value=level.ops_per_s),
        throughput_unit=unit,
        power_w=Interval(value=level.power_w),
        ops_per_joule=Interval(value=level.ops_per_s / level.power_w) if level.ops_per_s else None,
        relative_power=PlusMinus(value=level.power_w / top.power_w),
        n=1,
        traceable=False,
        remark=NO_PLUS_MINUS,
    )


def _statement(result: PublishedSummary, curve: Proportionality | None, unit: str) -> str:
    stated = result.stated_overall
    overall = (
        f"{format_number(stated)} {unit} as published"
        if stated is not None
        else f"{format_number(result.overall, 4)} {unit}"
    )
    sentences = [f"{result.title}: overall {overall}"]
    if curve is not None:
        sentences.append(
            f"Energy proportionality {format_number(curve.ep, 3)}, idle to peak "
            f"{format_number(curve.idle_to_peak, 3)}, largest deviation from "
            f"the line {format_number(100 * curve.linear_deviation, 2)} % at "
            f"{format_number(curve.deviates_at_pct, 3)} % load"
        )
    return ". ".join(sentences) + f". Source: {result.source}."
