"""Power against load in a published result: energy proportionality, idle share, best level."""

from __future__ import annotations

from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.proportionality import Proportionality, proportionality
from wattmark.comparison.published.imported_groups import KEY, level_name, units_of
from wattmark.comparison.published.published_result import PublishedLevel, PublishedSummary
from wattmark.comparison.scaling.scaling_views import LoadLevelRow, LoadLevelsOut
from wattmark.core.interval import Interval, PlusMinus
from wattmark.core.numbers import format_number
from wattmark.core.schema import Schema

NO_PLUS_MINUS = "Published figures: no ± is known."


class LoadCurveOut(Schema):
    """A published result over its load levels."""

    levels: LoadLevelsOut
    best_load_pct: float | None
    """Target load with the most work per joule [%]; None: no level has work."""
    best: float | None
    """Its work per joule."""


def load_curve(result: PublishedSummary) -> LoadCurveOut:
    """Compute the figures of a published power curve; power at the target load of 0 % is active idle."""
    levels = published_load_levels(result)
    working = [(row.ops_per_joule.value, row.load_pct) for row in levels.rows if row.ops_per_joule is not None]
    best, load_pct = max(working, default=(None, None))
    return LoadCurveOut(levels=levels, best_load_pct=load_pct, best=best)


def published_load_levels(result: PublishedSummary) -> LoadLevelsOut:
    """Return the published levels with the figures of energy proportionality [1]."""
    unit, efficiency_unit = units_of(result)
    ordered = sorted(result.levels, key=lambda level: -level.target_pct)
    curve, reason = _curve(ordered)
    return LoadLevelsOut(
        key=f"{KEY}{result.id}",
        workload=result.workload,
        rows=[_row(level, ordered[0], unit) for level in ordered],
        overall=Interval(value=result.overall),
        efficiency_unit=efficiency_unit,
        energy_proportionality=PlusMinus(value=curve.ep) if curve else None,
        idle_to_peak=PlusMinus(value=curve.idle_to_peak) if curve else None,
        dynamic_range=PlusMinus(value=curve.dynamic_range) if curve else None,
        linear_deviation=PlusMinus(value=curve.linear_deviation) if curve else None,
        statement=_statement(result, curve, efficiency_unit),
        simulated=False,
        remarks=[*(curve.doubts if curve else ()), *reason, NO_PLUS_MINUS],
    )


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
