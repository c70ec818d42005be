"""The table of memory populations that were not measured: one way of populating a server a row."""

from __future__ import annotations

from dataclasses import dataclass

from wattmark.comparison.memory.predicted import PredictedDifference, PredictedMemoryOut, PredictedWay
from wattmark.results.tables.marks import NOT_MEASURED, explain, joined_marks, source_marks
from wattmark.tables.fields import Fields, IntervalFields, columns_of, rows_of
from wattmark.tables.table import Column, Table

METHODS = (
    (
        "prediction",
        "least squares over servers of the rise per module over kind, size, and where stated ranks and speed; 95 % "
        "interval of a server that was not measured (Draper and Smith 1998, 3.1)",
    ),
)


@dataclass(frozen=True, slots=True)
class _Row:
    way: PredictedWay
    difference: PredictedDifference | None
    """Against the first way; None: it is the first."""


def predicted_table(answer: PredictedMemoryOut) -> Table:
    """Build the table of predicted memory: watts, cost, and the difference from the first way, with their ends."""
    first = (None,) if answer.ways else ()
    pairs = zip(answer.ways, (*first, *answer.differences), strict=True)
    fields = _fields(answer.currency, priced=answer.tariff_per_kwh is not None)
    marks = [*source_marks(answer), NOT_MEASURED]
    statements = (answer.statement, answer.check.statement, *explain(marks))
    rows = rows_of(fields, [_Row(*pair) for pair in pairs])
    return Table(
        "memory-predicted",
        f"Memory populations at {answer.level}, predicted",
        (*columns_of(fields), Column("marks", "Marks")),
        tuple((*row, joined_marks(marks)) for row in rows),
        statements,
        METHODS,
        statements=statements,
    )


def _fields(currency: str, *, priced: bool) -> Fields[_Row]:
    watts = IntervalFields[_Row](Column("watts_w", "Memory", "W"), lambda row: row.way.watts, rounded=True)
    cost = IntervalFields[_Row](
        Column("cost_per_year", "A year", currency), lambda row: row.way.cost_per_year, rounded=True
    )
    change = IntervalFields[_Row](
        Column("difference_w", "Against the first", "W"),
        lambda row: None if row.difference is None else row.difference.watts,
        rounded=True,
    )
    work = IntervalFields[_Row](
        Column("efficiency_pct", "Work per joule", "%"),
        lambda row: None if row.difference is None else row.difference.efficiency_pct,
        rounded=True,
    )
    shown = (watts, *([cost] if priced else []), change, work)
    return (
        (Column("population", "Population"), lambda row: row.way.population),
        (Column("gib", "Memory", "GiB", "number"), lambda row: row.way.gib),
        *(field for each in shown for field in (each.value, each.low, each.high, each.U95)),
        (Column("real", "Difference shown", kind="flag"), _real),
        (Column("remarks", "Remarks"), _remarks),
    )


def _real(row: _Row) -> bool | None:
    return None if row.difference is None else row.difference.real


def _remarks(row: _Row) -> str | None:
    difference = [] if row.difference is None else row.difference.remarks
    refusal = [] if row.way.refusal is None else [row.way.refusal]
    return " ".join([*refusal, *row.way.remarks, *difference]) or None
