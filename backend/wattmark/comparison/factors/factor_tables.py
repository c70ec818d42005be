"""Tables of factors: deltas, multiples of a baseline, extrapolations, power curves, and what can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wattmark.comparison.compare.cells import TITLES
from wattmark.comparison.factors.table_views import DeltaRow, DeltasOut, NormalisedOut
from wattmark.comparison.scaling.scaling_views import ExtrapolatedOut, ExtrapolatedRow, LoadLevelsOut
from wattmark.core.interval import half_width
from wattmark.core.numbers import format_number, signed_interval
from wattmark.results.tables.marks import INCLUDED, NOT_MEASURED, SIMULATED, explain, row_marks
from wattmark.results.tables.methods import METHODS
from wattmark.tables.table import Cell, Column, Table

_METHODS = (
    ("delta", "100 (new/old - 1) [%] at equal other factors; shown rounded half away from zero."),
    ("interval", "95 % interval of the ratio by log-Welch; the error of a meter cancels if it measured both."),
    ("factor 1 = baseline", "Figure divided by that of the baseline under the same workload and level."),
    (
        "extrapolated, not measured",
        "Predictions of models beyond the measured points; the spread between models shows their error.",
    ),
    (
        "overall",
        "Sum of throughput over sum of watts of all levels, idle included; not the mean of the ratios.",
    ),
    ("energy proportionality", "2 - A/0.5 with A the trapezoid area under P(u)/P(1); 1 is proportional, 0 flat."),
    *METHODS,
)


def deltas_table(deltas: DeltasOut) -> Table:
    """Build the delta table; means and runs without a partner are in the footnotes."""
    rows = tuple(
        (
            r.workload, r.level, r.others, r.new_key, r.old_key, r.new, r.new_U95, r.old, r.old_U95, r.unit,
            r.n_new, r.n_old, r.shown, r.delta_pct,
            _interval(r), r.low_pct, r.high_pct, r.factor, row_marks(r), r.remark,
        )
        for r in deltas.rows
    )  # fmt: skip
    columns = (
        *_WORK,
        Column("others", "At"),
        Column("new_key", f"{deltas.factor} {deltas.new}"),
        Column("old_key", f"{deltas.factor} {deltas.old}"),
        Column("new", "New", kind="number", expanded_u="new_U95", unit_from="unit"),
        Column("new_U95", "", kind="number", unit_from="unit", for_people=False),
        Column("old", "Old", kind="number", expanded_u="old_U95", unit_from="unit"),
        Column("old_U95", "", kind="number", unit_from="unit", for_people=False),
        Column("unit", "Unit", for_people=False),
        Column("n_new", "Runs", kind="integer", for_people=False),
        Column("n_old", "Runs", kind="integer", for_people=False),
        Column("delta", "Delta"),
        Column("delta_pct", "Delta", "%", "number", for_people=False),
        Column("interval", "95 % interval"),
        Column("delta_low_pct", "95 % from", "%", "number", for_people=False),
        Column("delta_high_pct", "to", "%", "number", for_people=False),
        Column("factor", "Factor", kind="number", for_people=False),
        Column("marks", "Marks"),
        Column("remark", "Remarks"),
    )
    equal = f"Equal in all rows: {deltas.equal}." if deltas.equal else ""
    title = f"{TITLES[deltas.figure]}: {deltas.factor} {deltas.new} against {deltas.old}"
    return _table("deltas", title, columns, rows, (deltas.statement, equal, *deltas.remarks))


def normalised_table(view: NormalisedOut) -> Table:
    """Build the table of multiples."""
    columns = (
        *_WORK,
        Column("key", "Configuration"),
        Column("n", "Runs", kind="integer"),
        Column("value", TITLES[view.figure], kind="number", expanded_u="value_U95", unit_from="unit"),
        Column("value_U95", "", kind="number", unit_from="unit", for_people=False),
        Column("unit", "Unit", for_people=False),
        Column("factor", "Factor", kind="number", expanded_u="factor_U95"),
        Column("factor_low", "95 % from", kind="number", for_people=False),
        Column("factor_high", "to", kind="number", for_people=False),
        Column("factor_U95", "", kind="number", for_people=False),
        Column("marks", "Marks"),
        Column("remark", "Remarks"),
    )
    rows = tuple(
        (
            r.workload,
            r.level,
            r.key,
            r.n,
            r.value,
            r.value_U95,
            r.unit,
            r.factor,
            r.low,
            r.high,
            half_width(r.low, r.high),
            row_marks(r),
            r.remark,
        )
        for r in view.rows
    )
    title = f"{TITLES[view.figure]}, {view.baseline} = 1"
    return _table("normalised", title, columns, rows, (view.statement, *view.remarks))


def extrapolated_table(view: ExtrapolatedOut) -> Table:
    """Build the table of models; rows beyond the measured ones are marked."""
    columns = (
        Column("kind", "Kind"),
        Column("at", view.axis.capitalize(), view.axis_unit, "number"),
        Column("model", "Model"),
        Column("throughput", "Throughput", view.unit, "number", rounded_by="throughput_U95"),
        Column("throughput_low", "95 % from", view.unit, "number", rounded_by="throughput_U95"),
        Column("throughput_high", "to", view.unit, "number", rounded_by="throughput_U95"),
        Column("throughput_U95", "", view.unit, "number", for_people=False),
        Column("basis", "Interval covers"),
        Column("n", "Runs", kind="integer"),
        Column("marks", "Marks"),
    )
    rows = tuple(
        (r.kind, r.at, r.model or None, r.value, r.low, r.high, half_width(r.low, r.high), r.basis or None, r.n,
         _extrapolated_marks(r, simulated=view.simulated))
        for r in view.rows
    )  # fmt: skip
    low, high = (format_number(x, 4) for x in view.spread)
    notes = [view.warning, f"Spread between the models: {low} to {high} {view.unit}."]
    if view.envelope is not None:
        ends = [format_number(x, 4) if x != float("inf") else "no bound" for x in view.envelope]
        notes.append(f"All models with their intervals: {ends[0]} to {ends[1]} {view.unit}.")
    notes += [f"Held equal: {view.equal}.", *view.remarks]
    title = f"Throughput at {format_number(view.target)} {view.axis_unit}: extrapolated, not measured"
    return _table("extrapolated", title, columns, rows, notes)


def load_levels_table(view: LoadLevelsOut) -> Table:
    """Build the table of the power curve; overall figure and proportionality are in the footnotes."""
    columns = (
        Column("load_pct", "Load", "%", "number"),
        Column("level", "Level"),
        Column("throughput", "Throughput", kind="number", expanded_u="throughput_U95", unit_from="throughput_unit"),
        Column("throughput_U95", "", kind="number", unit_from="throughput_unit", for_people=False),
        Column("throughput_unit", "Unit", for_people=False),
        Column("power_w", "Power", "W", "number", expanded_u="power_U95_w"),
        Column("power_U95_w", "U95(power)", "W", "number", for_people=False),
        Column("efficiency", "Efficiency", view.efficiency_unit, "number", expanded_u="efficiency_U95"),
        Column("efficiency_U95", "", view.efficiency_unit, "number", for_people=False),
        Column("relative_power", "Power/peak", kind="number", expanded_u="relative_power_U95"),
        Column("relative_power_U95", "", kind="number", for_people=False),
        Column("n", "Runs", kind="integer"),
        Column("marks", "Marks"),
        Column("remark", "Remarks"),
    )
    rows = tuple(
        (r.load_pct, r.level, r.throughput, r.throughput_U95, r.throughput_unit, r.power_w, r.power_U95_w,
         r.ops_per_joule, r.ops_per_joule_U95, r.relative_power, r.relative_power_U95, r.n,
         row_marks(r), r.remark)
        for r in view.rows
    )  # fmt: skip
    title = f"Load levels: {view.key}, {view.workload}"
    return _table("load-levels", title, columns, rows, (view.statement, *view.remarks))


def factors_table(values: Mapping[str, Sequence[str]]) -> Table:
    """Build the table of factors that differ between runs, for the choice of a delta table."""
    rows = tuple((name, "; ".join(listed)) for name, listed in values.items())
    note = "To compare one of these factors: wattmark table deltas --factor NAME."
    return Table(
        "factors", "Factors that differ", (Column("factor", "Factor"), Column("values", "Values")), rows, (note,)
    )


_WORK = (Column("workload", "Workload"), Column("level", "Level"))


def _table(
    identity: str, title: str, columns: tuple[Column, ...], rows: tuple[tuple[Cell, ...], ...], notes: Sequence[str]
) -> Table:
    position = next((index for index, column in enumerate(columns) if column.key == "marks"), None)
    marks = [] if position is None else [mark for row in rows for mark in str(row[position] or "").split(", ")]
    footnotes = (*(note for note in notes if note), *explain(marks))
    return Table(identity, title, columns, rows, footnotes, _METHODS)


def _interval(row: DeltaRow) -> str | None:
    """Format the 95 % interval of a change [%]; None where it is not known."""
    if row.low_pct is None or row.high_pct is None:
        return None
    _, low, high = signed_interval(row.delta_pct, row.low_pct, row.high_pct)
    return f"{low} % to {high} %"


def _extrapolated_marks(row: ExtrapolatedRow, *, simulated: bool) -> str | None:
    """Return the marks of a row of extrapolated or measured figures."""
    marks = [SIMULATED] * simulated + [INCLUDED] * row.included + [NOT_MEASURED] * (row.kind == NOT_MEASURED)
    return ", ".join(marks) or None
