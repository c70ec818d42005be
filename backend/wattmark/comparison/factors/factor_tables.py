"""Tables of factors: deltas, multiples of a baseline, extrapolations, power curves, and what can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from wattmark.comparison.compare.cells import TITLES
from wattmark.comparison.factors.table_views import DeltaRow, DeltasOut, NormalisedOut, NormalisedRow
from wattmark.comparison.scaling.load_methods import LOAD_METHODS
from wattmark.comparison.scaling.scaling_views import ExtrapolatedOut, ExtrapolatedRow, LoadLevelRow, LoadLevelsOut
from wattmark.core.numbers import format_number, signed_interval
from wattmark.results.tables.marks import INCLUDED, NOT_MEASURED, SIMULATED, MarkedRow, explain, row_marks
from wattmark.results.tables.methods import METHODS
from wattmark.tables.fields import Fields, HalfFields, IntervalFields, Source, columns_of, rows_of
from wattmark.tables.table import Column, Table

_METHODS = (
    ("delta", "100 (new/old - 1) [%] at equal other factors; shown rounded half away from zero."),
    ("interval", "95 % interval of the ratio by log-Welch; the error of a meter cancels if it measured both."),
    ("factor 1 = baseline", "Figure divided by that of the baseline under the same workload and level."),
    (
        "extrapolated, not measured",
        "Predictions of models beyond the measured points; the spread between models shows their error.",
    ),
    *((of.name, f"{of.formula} Source: {of.source}.") for of in LOAD_METHODS),
    *METHODS,
)


def deltas_table(deltas: DeltasOut) -> Table:
    """Build the delta table; means and runs without a partner are in the footnotes."""
    new, old = (f"{deltas.factor} {value}" for value in (deltas.new, deltas.old))
    fields: Fields[DeltaRow] = (
        *_work(),
        (Column("others", "At"), lambda r: r.others),
        (Column("new_key", new), lambda r: r.new_key),
        (Column("old_key", old), lambda r: r.old_key),
        *HalfFields[DeltaRow](Column("new", "New", unit_from="unit"), lambda r: r.new).both,
        *HalfFields[DeltaRow](Column("old", "Old", unit_from="unit"), lambda r: r.old).both,
        (Column("unit", "Unit", for_people=False), lambda r: r.unit),
        (Column("n_new", "Runs", kind="integer", for_people=False), lambda r: r.n_new),
        (Column("n_old", "Runs", kind="integer", for_people=False), lambda r: r.n_old),
        (Column("delta", "Delta"), lambda r: r.shown),
        (Column("delta_pct", "Delta", "%", "number", for_people=False), lambda r: r.delta_pct.value),
        (Column("interval", "95 % interval"), _interval),
        (Column("delta_low_pct", "95 % from", "%", "number", for_people=False), lambda r: r.delta_pct.low),
        (Column("delta_high_pct", "to", "%", "number", for_people=False), lambda r: r.delta_pct.high),
        (Column("factor", "Factor", kind="number", for_people=False), lambda r: r.factor),
        *_judged(),
    )
    equal = f"Equal in all rows: {deltas.equal}." if deltas.equal else ""
    title = f"{TITLES[deltas.figure]}: {new} against {deltas.old}"
    return _table("deltas", title, fields, deltas.rows, (deltas.statement, equal, *deltas.remarks))


def normalised_table(view: NormalisedOut) -> Table:
    """Build the table of multiples."""
    factor = IntervalFields[NormalisedRow](Column("factor", "Factor"), lambda r: r.factor)
    fields: Fields[NormalisedRow] = (
        *_work(),
        (Column("key", "Configuration"), lambda r: r.key),
        (Column("n", "Runs", kind="integer"), lambda r: r.n),
        *HalfFields[NormalisedRow](Column("value", TITLES[view.figure], unit_from="unit"), lambda r: r.value).both,
        (Column("unit", "Unit", for_people=False), lambda r: r.unit),
        *factor.all,
        *_judged(),
    )
    title = f"{TITLES[view.figure]}, {view.baseline} = 1"
    return _table("normalised", title, fields, view.rows, (view.statement, *view.remarks))


def extrapolated_table(view: ExtrapolatedOut) -> Table:
    """Build the table of models; rows beyond the measured ones are marked."""
    throughput = IntervalFields[ExtrapolatedRow](
        Column("throughput", "Throughput", view.unit), lambda r: r.throughput, rounded=True
    )
    fields: Fields[ExtrapolatedRow] = (
        (Column("kind", "Kind"), lambda r: r.kind),
        (Column("at", view.axis.capitalize(), view.axis_unit, "number"), lambda r: r.at),
        (Column("model", "Model"), lambda r: r.model or None),
        *throughput.all,
        (Column("basis", "Interval covers"), lambda r: r.basis or None),
        (Column("n", "Runs", kind="integer"), lambda r: r.n),
        (Column("marks", "Marks"), lambda r: _extrapolated_marks(r, simulated=view.simulated)),
    )
    low, high = (format_number(x, 4) for x in view.spread)
    notes = [view.warning, f"Spread between the models: {low} to {high} {view.unit}."]
    if view.envelope is not None:
        ends = [format_number(x, 4) if x != float("inf") else "no bound" for x in view.envelope]
        notes.append(f"All models with their intervals: {ends[0]} to {ends[1]} {view.unit}.")
    notes += [f"Held equal: {view.equal}.", *view.remarks]
    title = f"Throughput at {format_number(view.target)} {view.axis_unit}: extrapolated, not measured"
    return _table("extrapolated", title, fields, view.rows, notes)


def load_levels_table(view: LoadLevelsOut) -> Table:
    """Build the table of the power curve; overall figure and proportionality are in the footnotes."""
    throughput = Column("throughput", "Throughput", unit_from="throughput_unit")
    efficiency = Column("efficiency", "Efficiency", view.efficiency_unit)
    relative = Column("relative_power", "Power/peak")
    fields: Fields[LoadLevelRow] = (
        (Column("load_pct", "Load", "%", "number"), lambda r: r.load_pct),
        (Column("level", "Level"), lambda r: r.level),
        *HalfFields[LoadLevelRow](throughput, lambda r: r.throughput).both,
        (Column("throughput_unit", "Unit", for_people=False), lambda r: r.throughput_unit),
        *HalfFields[LoadLevelRow](Column("power_w", "Power", "W"), lambda r: r.power_w, "power").both,
        *HalfFields[LoadLevelRow](efficiency, lambda r: r.ops_per_joule).both,
        *HalfFields[LoadLevelRow](relative, lambda r: r.relative_power).both,
        (Column("n", "Runs", kind="integer"), lambda r: r.n),
        *_judged(),
    )
    title = f"Load levels: {view.key}, {view.workload}"
    return _table("load-levels", title, fields, view.rows, (view.statement, *view.remarks))


def factors_table(values: Mapping[str, Sequence[str]]) -> Table:
    """Build the table of factors that differ between runs, for the choice of a delta table."""
    rows = tuple((name, "; ".join(listed)) for name, listed in values.items())
    note = "To compare one of these factors: wattmark table deltas --factor NAME."
    return Table(
        "factors", "Factors that differ", (Column("factor", "Factor"), Column("values", "Values")), rows, (note,)
    )


class _OfWork(Protocol):
    """A row of one workload and level."""

    @property
    def workload(self) -> str | None: ...

    @property
    def level(self) -> str | None: ...


class _WithRemark(MarkedRow, Protocol):
    """A row with marks and a remark on its ±."""

    @property
    def remark(self) -> str | None: ...


def _work() -> Fields[_OfWork]:
    return (
        (Column("workload", "Workload"), lambda r: r.workload),
        (Column("level", "Level"), lambda r: r.level),
    )


def _judged() -> Fields[_WithRemark]:
    return (Column("marks", "Marks"), row_marks), (Column("remark", "Remarks"), lambda r: r.remark)


def _table(identity: str, title: str, fields: Fields[Source], sources: Sequence[Source], notes: Sequence[str]) -> Table:
    columns, rows = columns_of(fields), rows_of(fields, sources)
    position = next((index for index, column in enumerate(columns) if column.key == "marks"), None)
    marks = [] if position is None else [mark for row in rows for mark in str(row[position] or "").split(", ")]
    footnotes = (*(note for note in notes if note), *explain(marks))
    return Table(identity, title, columns, rows, footnotes, _METHODS)


def _interval(row: DeltaRow) -> str | None:
    """Format the 95 % interval of a change [%]; None where it is not known."""
    delta = row.delta_pct
    if delta.low is None or delta.high is None:
        return None
    _, low, high = signed_interval(delta.value, delta.low, delta.high)
    return f"{low} % to {high} %"


def _extrapolated_marks(row: ExtrapolatedRow, *, simulated: bool) -> str | None:
    """Return the marks of a row of extrapolated or measured figures."""
    marks = [SIMULATED] * simulated + [INCLUDED] * row.included + [NOT_MEASURED] * (row.kind == NOT_MEASURED)
    return ", ".join(marks) or None
