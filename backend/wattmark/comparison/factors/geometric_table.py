"""The table of geometric means over levels and workloads."""

from __future__ import annotations

from wattmark.comparison.factors.table_views import GeometricOut
from wattmark.core.interval import half_width
from wattmark.results.tables.marks import explain, row_marks
from wattmark.results.tables.methods import METHODS
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
_COLUMNS = (
    Column("key", "Configuration"),
    Column("workload", "Workload"),
    Column("subsystem", "Stresses"),
    Column("levels", "Levels", kind="integer"),
    Column("efficiency", "Efficiency", "", "number", expanded_u="efficiency_U95", unit_from="efficiency_unit"),
    Column("efficiency_low", "95 % from", kind="number", unit_from="efficiency_unit", for_people=False),
    Column("efficiency_high", "to", kind="number", unit_from="efficiency_unit", for_people=False),
    Column("efficiency_U95", "", kind="number", unit_from="efficiency_unit", for_people=False),
    Column("efficiency_unit", "Unit", for_people=False),
    Column("score", "Score", "1/kW", "number", expanded_u="score_U95"),
    Column("score_U95", "", "1/kW", "number", for_people=False),
    Column("factor", "Factor", kind="number", expanded_u="factor_U95"),
    Column("factor_low", "95 % from", kind="number", for_people=False),
    Column("factor_high", "to", kind="number", for_people=False),
    Column("factor_U95", "", kind="number", for_people=False),
    Column("marks", "Marks"),
    Column("remark", "Remarks"),
)


def geometric_table(view: GeometricOut) -> Table:
    """Build the table of geometric means; totals of a configuration come below its workloads."""
    rows = tuple(
        (r.key, r.workload, r.subsystem, r.levels, r.efficiency, r.low, r.high,
         half_width(r.low, r.high), r.unit or None, r.score, r.score_U95, r.factor,
         r.factor_low, r.factor_high, half_width(r.factor_low, r.factor_high),
         row_marks(r), r.remark)
        for r in view.rows
    )  # fmt: skip
    marks = [mark for row in view.rows for mark in (row_marks(row) or "").split(", ")]
    title = f"Geometric means, {view.reference} = 1"
    return Table("geometric-means", title, _COLUMNS, rows, (view.statement, *view.remarks, *explain(marks)), _METHODS)
