"""The table of one configuration against its load levels."""

from __future__ import annotations

from wattmark.comparison.scaling.scaling_views import ScalingLevel, ScalingOut
from wattmark.core.interval import Interval95, half_width
from wattmark.results.tables.marks import explain, joined_marks, source_marks
from wattmark.results.tables.methods import METHODS
from wattmark.results.tables.result_columns import EFFICIENCY, WORK
from wattmark.tables.fields import with_ends
from wattmark.tables.table import Cell, Column, LayoutColumn, Table


def scaling_table(scaling: ScalingOut) -> Table:
    """Build the table of levels; conclusions are in the footnotes."""
    marks = [mark for level in scaling.levels for mark in source_marks(level)]
    footnotes = (*scaling.sentences, *explain(marks))
    title = f"Scaling: {scaling.key}, {scaling.workload}"
    rows = tuple(_row(level, scaling) for level in scaling.levels)
    notes = tuple(tuple(filter(None, (level.refusal, *level.remarks))) for level in scaling.levels)
    return Table(
        "scaling", title, _COLUMNS, rows, footnotes, METHODS, layout=_LAYOUT, statements=footnotes, row_notes=notes
    )


_LAYOUT = (LayoutColumn("count"), LayoutColumn("n"), *WORK, EFFICIENCY, LayoutColumn("speed_up"))
_COLUMNS = (
    Column("count", "Level", kind="integer"),
    Column("level", "Level in words", for_people=False),
    Column("n", "Runs", kind="integer"),
    Column("throughput", "Throughput", "", "number", expanded_u="throughput_U95", unit_from="throughput_unit"),
    Column("throughput_U95", "", kind="number", unit_from="throughput_unit", for_people=False),
    Column("throughput_unit", "Unit", for_people=False),
    Column("power_w", "Power", "W", "number", expanded_u="power_U95_w"),
    Column("power_U95_w", "", "W", "number", for_people=False),
    Column("efficiency", "Efficiency", "", "number", expanded_u="efficiency_U95", unit_from="efficiency_unit"),
    Column("efficiency_U95", "", kind="number", unit_from="efficiency_unit", for_people=False),
    Column("efficiency_unit", "Unit", for_people=False),
    Column("speed_up", "Speed-up", kind="number", expanded_u="speed_up_U95"),
    Column("speed_up_low", "Speed-up from", kind="number", for_people=False),
    Column("speed_up_high", "to", kind="number", for_people=False),
    Column("speed_up_U95", "", kind="number", for_people=False),
    Column("parallel_efficiency", "Parallel efficiency", kind="number", expanded_u="parallel_efficiency_U95"),
    Column("parallel_efficiency_U95", "", kind="number", for_people=False),
    Column("response_s", "Response time", "s", "number"),
    Column("in_flight", "Requests in flight", kind="number", for_people=False),
    Column("possible", "Possible by Little's law", kind="flag", for_people=False),
    Column("marks", "Marks"),
    Column("refusal", "Why there is no value"),
    Column("remarks", "Remarks"),
)


def _row(level: ScalingLevel, scaling: ScalingOut) -> tuple[Cell, ...]:
    speed_up_half = half_width(level.speed_up_low, level.speed_up_high)
    relative = None if speed_up_half is None or not level.speed_up else speed_up_half / level.speed_up
    return (
        level.count,
        level.level,
        level.n,
        *_figure(level.throughput),
        scaling.throughput_unit,
        *_figure(level.power_w),
        *_figure(level.efficiency),
        scaling.efficiency_unit,
        level.speed_up,
        level.speed_up_low,
        level.speed_up_high,
        speed_up_half,
        level.parallel_efficiency,
        None if relative is None or level.parallel_efficiency is None else relative * level.parallel_efficiency,
        level.response_s,
        level.in_flight,
        level.possible,
        joined_marks(source_marks(level)),
        level.refusal,
        " ".join(level.remarks) or None,
    )


def _figure(interval: Interval95 | None) -> tuple[Cell, Cell]:
    """Return the value and half of its 95 % interval; None for the half where it holds scatter only."""
    value, *_, half = with_ends(interval)
    return value, half
