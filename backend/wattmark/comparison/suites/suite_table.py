"""The tables of a suite: its scores, and every level beside its target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wattmark.comparison.suites.suite_views import SuiteLevelOut, SuiteReportOut
from wattmark.core.interval import Interval, PlusMinus
from wattmark.results.plus_minus import joined
from wattmark.results.tables.marks import explain, row_marks
from wattmark.results.tables.methods import METHODS
from wattmark.tables.fields import Fields, HalfFields, columns_of, rows_of
from wattmark.tables.table import Column, Table

WHOLE = "suite"


@dataclass(slots=True)
class _Score:
    """A row of scores: a worklet, a kind, or the whole."""

    part: str
    kind: str | None
    weight: float | None
    score: Interval | None
    proportionality: PlusMinus | None = None
    idle_to_peak: PlusMinus | None = None
    levels_held: str | None = None
    missing: str | None = None
    remark: str | None = None
    """Why there is no ±, or what is not in it."""
    simulated: bool = False
    traceable: bool = True
    sources_disagree: bool = False
    scatter_only: bool = False
    included: bool = False


def scores_table(report: SuiteReportOut) -> Table:
    """Build the table of scores: worklets, then kinds, then the whole."""
    fields: Fields[_Score] = (
        (Column("part", "Part"), lambda row: row.part),
        (Column("kind", "Stresses"), lambda row: row.kind),
        (Column("weight", "Weight", kind="number"), lambda row: row.weight),
        *HalfFields[_Score](Column("score", "Score", report.unit), lambda row: row.score).both,
        *HalfFields[_Score](Column("ep", "Energy proportionality"), lambda row: row.proportionality).both,
        *HalfFields[_Score](Column("idle_to_peak", "Idle/peak"), lambda row: row.idle_to_peak).both,
        (Column("held", "Levels within target"), lambda row: row.levels_held),
        (Column("marks", "Marks"), row_marks),
        (Column("missing", "Missing levels"), lambda row: row.missing),
        (Column("remark", "Remarks"), lambda row: row.remark),
    )
    rows = _scores(report)
    marks = [mark for row in rows for mark in (row_marks(row) or "").split(", ")]
    return Table(
        "suite",
        f"{report.suite.title}: {report.title}",
        columns_of(fields),
        rows_of(fields, rows),
        (report.statement, *report.remarks, *explain(marks)),
        _methods(report),
    )


def _scores(report: SuiteReportOut) -> list[_Score]:
    """List worklets, kinds and the whole, each with the marks of the levels that it rests on."""
    rows = []
    for worklet in report.worklets:
        own = [level for level in report.levels if level.worklet == worklet.workload]
        curve = worklet.curve
        row = _Score(
            part=worklet.workload,
            kind=worklet.kind,
            weight=None,
            score=worklet.score,
            proportionality=None if curve is None else curve.energy_proportionality,
            idle_to_peak=None if curve is None else curve.idle_to_peak,
            levels_held=f"{sum(level.held is True for level in own)} of {len(own)}",
            missing=", ".join(worklet.missing) or None,
        )
        rows.append(_marked(row, report, own))
    for kind in report.kinds:
        own = [level for level in report.levels if level.kind == kind.kind]
        rows.append(_marked(_Score(kind.kind, kind.kind, kind.weight, kind.score), report, own))
    return [*rows, _marked(_Score(WHOLE, None, 1.0, report.score), report, report.levels)]


def _marked(row: _Score, report: SuiteReportOut, levels: Sequence[SuiteLevelOut]) -> _Score:
    """Mark a row as its levels are, with their remarks; the nature of the report stands for one without any."""
    return replace(
        row,
        remark=joined(level.remark for level in levels),
        simulated=report.simulated,
        traceable=report.traceable and all(level.traceable for level in levels),
        sources_disagree=any(level.sources_disagree for level in levels),
        included=any(level.included for level in levels),
    )


def levels_table(report: SuiteReportOut) -> Table:
    """Build the table of levels: asked for, done, power, and work per joule."""
    fields: Fields[SuiteLevelOut] = (
        (Column("worklet", "Worklet"), lambda row: row.worklet),
        (Column("target_pct", "Target", "%", "number"), lambda row: row.target_pct),
        (Column("asked", "Asked for", kind="number", unit_from="throughput_unit"), lambda row: row.asked),
        *HalfFields[SuiteLevelOut](
            Column("throughput", "Done", unit_from="throughput_unit"), lambda row: row.throughput
        ).both,
        (Column("throughput_unit", "Unit", for_people=False), lambda row: row.throughput_unit),
        (Column("off_pct", "Off target", "%", "number", digits=3), lambda row: row.off_pct),
        (Column("held", "Within 2 %", kind="flag"), lambda row: row.held),
        *HalfFields[SuiteLevelOut](Column("power_w", "Power", "W"), lambda row: row.power_w, "power").both,
        *HalfFields[SuiteLevelOut](
            Column("efficiency", "Efficiency", unit_from="efficiency_unit"), lambda row: row.ops_per_joule
        ).both,
        (
            Column("efficiency_unit", "Unit", for_people=False),
            lambda row: f"{row.throughput_unit.removesuffix('/s')}/J",
        ),
        (Column("n", "Runs", kind="integer"), lambda row: row.n),
        (Column("marks", "Marks"), row_marks),
        (Column("remark", "Remarks"), lambda row: row.remark),
    )
    marks = [mark for level in report.levels for mark in (row_marks(level) or "").split(", ")]
    return Table(
        "suite-levels",
        f"Levels of {report.suite.id}: {report.title}",
        columns_of(fields),
        rows_of(fields, report.levels),
        (report.statement, *report.remarks, *explain(marks)),
        _methods(report),
    )


def _methods(report: SuiteReportOut) -> tuple[tuple[str, str], ...]:
    return (*((of.name, f"{of.formula} Source: {of.source}.") for of in report.methods), *METHODS)
