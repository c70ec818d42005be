"""The table of geometric means over levels and workloads."""

from __future__ import annotations

from wattmark.comparison.factors.table_views import GeometricOut, GeometricRow
from wattmark.results.tables.marks import explain, row_marks
from wattmark.results.tables.methods import METHODS
from wattmark.tables.fields import Fields, HalfFields, IntervalFields, columns_of, rows_of
from wattmark.tables.table import Column, Table

_METHODS = (
    ("efficiency", "Geometric mean of the performance per watt of the levels, each the mean of its repeats."),
    (
        "score",
        "Geometric mean over the levels of throughput divided by the reference's highest throughput and by kilowatts.",
    ),
    ("factor", "Geometric mean over the levels of the ratio to the reference's performance per watt."),
    ("95 % from, to", "Errors that one meter causes at all levels count once; scatter adds in quadrature."),
    ("weighted", "exp(0.65 ln CPU + 0.30 ln memory + 0.05 ln storage) of the scores; as in SERT 2, idle excluded."),
    *METHODS,
)
_FIELDS: Fields[GeometricRow] = (
    (Column("key", "Configuration"), lambda r: r.key),
    (Column("workload", "Workload"), lambda r: r.workload),
    (Column("subsystem", "Stresses"), lambda r: r.subsystem),
    (Column("levels", "Levels", kind="integer"), lambda r: r.levels),
    *IntervalFields[GeometricRow](
        Column("efficiency", "Efficiency", unit_from="efficiency_unit"), lambda r: r.efficiency
    ).all,
    (Column("efficiency_unit", "Unit", for_people=False), lambda r: r.unit or None),
    *HalfFields[GeometricRow](Column("score", "Score", "1/kW"), lambda r: r.score).both,
    *IntervalFields[GeometricRow](Column("factor", "Factor"), lambda r: r.factor).all,
    (Column("marks", "Marks"), row_marks),
    (Column("remark", "Remarks"), lambda r: r.remark),
)


def geometric_table(view: GeometricOut) -> Table:
    """Build the table of geometric means; totals of a configuration come below its workloads."""
    marks = [mark for row in view.rows for mark in (row_marks(row) or "").split(", ")]
    title = f"Geometric means, {view.reference} = 1"
    return Table(
        "geometric-means",
        title,
        columns_of(_FIELDS),
        rows_of(_FIELDS, view.rows),
        (view.statement, *view.remarks, *explain(marks)),
        _METHODS,
    )
