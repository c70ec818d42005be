"""The table of one configuration against its load levels."""

from __future__ import annotations

from wattmark.comparison.scaling.scaling_views import ScalingLevel, ScalingOut
from wattmark.results.tables.marks import explain, joined_marks, source_marks
from wattmark.results.tables.methods import METHODS
from wattmark.results.tables.result_columns import EFFICIENCY, WORK
from wattmark.tables.fields import Fields, HalfFields, IntervalFields, columns_of, rows_of
from wattmark.tables.table import Column, LayoutColumn, Table


def scaling_table(scaling: ScalingOut) -> Table:
    """Build the table of levels; conclusions are in the footnotes."""
    marks = [mark for level in scaling.levels for mark in source_marks(level)]
    footnotes = (*scaling.sentences, *explain(marks))
    title = f"Scaling: {scaling.key}, {scaling.workload}"
    fields = _fields(scaling)
    notes = tuple(tuple(filter(None, (level.refusal, *level.remarks))) for level in scaling.levels)
    return Table(
        "scaling",
        title,
        columns_of(fields),
        rows_of(fields, scaling.levels),
        footnotes,
        METHODS,
        layout=_LAYOUT,
        statements=footnotes,
        row_notes=notes,
    )


_LAYOUT = (LayoutColumn("count"), LayoutColumn("n"), *WORK, EFFICIENCY, LayoutColumn("speed_up"))


def _fields(scaling: ScalingOut) -> Fields[ScalingLevel]:
    throughput = Column("throughput", "Throughput", unit_from="throughput_unit")
    efficiency = Column("efficiency", "Efficiency", unit_from="efficiency_unit")
    speed_up = IntervalFields[ScalingLevel](
        Column("speed_up", "Speed-up"),
        lambda level: level.speed_up,
        titles=("Speed-up from", "to"),
    )
    return (
        (Column("count", "Level", kind="integer"), lambda level: level.count),
        (Column("level", "Level in words", for_people=False), lambda level: level.level),
        (Column("n", "Runs", kind="integer"), lambda level: level.n),
        *HalfFields[ScalingLevel](throughput, lambda level: level.throughput).both,
        (Column("throughput_unit", "Unit", for_people=False), lambda _: scaling.throughput_unit),
        *HalfFields[ScalingLevel](Column("power_w", "Power", "W"), lambda level: level.power_w).both,
        *HalfFields[ScalingLevel](efficiency, lambda level: level.efficiency).both,
        (Column("efficiency_unit", "Unit", for_people=False), lambda _: scaling.efficiency_unit),
        *speed_up.all,
        *HalfFields[ScalingLevel](
            Column("parallel_efficiency", "Parallel efficiency"), lambda level: level.parallel_efficiency
        ).both,
        (Column("response_s", "Response time", "s", "number"), lambda level: level.response_s),
        (Column("in_flight", "Requests in flight", kind="number", for_people=False), lambda level: level.in_flight),
        (Column("possible", "Possible by Little's law", kind="flag", for_people=False), lambda level: level.possible),
        (Column("marks", "Marks"), lambda level: joined_marks(source_marks(level))),
        (Column("refusal", "Why there is no value"), lambda level: level.refusal),
        (Column("remarks", "Remarks"), lambda level: " ".join(level.remarks) or None),
    )
