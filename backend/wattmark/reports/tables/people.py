"""A table as people read it: fewer columns, "value ± U95" in one cell, units in the head, thousands grouped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wattmark.core.numbers import NOT_KNOWN, format_number, format_rounded, format_uncertain
from wattmark.reports.tables.table import Cell, Column, Table

Write = Callable[[Column, Cell, Cell, str], str]
"""How to write a cell: column, value, expanded uncertainty, unit where rows differ in it."""
_YES_NO = {True: "yes", False: "no"}


@dataclass(frozen=True, slots=True)
class Page:
    """Headings and cells as text; ``numeric`` tells which columns are right-aligned."""

    headings: tuple[str, ...]
    numeric: tuple[bool, ...]
    table: Table
    texts: tuple[Callable[[tuple[Cell, ...]], str], ...]
    """What writes the cell of each column, from a row of the table."""

    @property
    def rows(self) -> Iterator[tuple[str, ...]]:
        """Iterate over the rows as text, so that a long table is not in memory twice."""
        return (tuple(text(row) for text in self.texts) for row in self.table.rows)


def lay_out(table: Table, write: Write | None = None) -> Page:
    """Format every cell as text (default: `cell_text`). A column without any value is omitted."""
    laid = [
        _column(table, position, write or cell_text)
        for position, column in enumerate(table.columns)
        if column.for_people
    ]
    shown = [
        (heading, numeric, text)
        for heading, numeric, text in laid
        if not table.rows or any(text(row) != NOT_KNOWN for row in table.rows)
    ]
    headings, numeric, texts = zip(*shown, strict=True) if shown else ((), (), ())
    return Page(headings, numeric, table, texts)


def _column(table: Table, position: int, write: Write) -> tuple[str, bool, Callable[[tuple[Cell, ...]], str]]:
    column = table.columns[position]
    source = None if column.unit_from is None else table.position(column.unit_from)
    units = {column.unit} if source is None else {str(row[source] or "") for row in table.rows}
    common = units.pop() if len(units) == 1 else ""
    half_width_key = column.expanded_u or column.rounded_by
    expanded = table.position(half_width_key) if half_width_key else None
    without = expanded is not None and table.rows and all(row[expanded] is None for row in table.rows)
    plus_minus = " ± U95" if column.expanded_u and not without else ""
    heading = f"{column.title}{plus_minus} [{common}]" if common else f"{column.title}{plus_minus}"
    own_units = source if units else None

    def text(row: tuple[Cell, ...]) -> str:
        unit = "" if own_units is None else str(row[own_units] or "")
        return write(column, row[position], row[expanded] if expanded is not None else None, unit)

    return heading, column.kind in ("number", "integer"), text


def cell_text(column: Column, cell: Cell, expanded_u: Cell, unit: str) -> str:
    """Format a cell as plain text; a dash where nothing is known."""
    if cell is None or cell == "":
        return NOT_KNOWN
    if isinstance(cell, bool):
        return _YES_NO[cell]
    if isinstance(cell, str):
        return cell
    if column.kind == "number":
        return number_text(column, cell, expanded_u, unit)
    return format_number(cell, digits=15)


def number_text(column: Column, cell: float, expanded_u: Cell, unit: str = "") -> str:
    """Format a number with its ± (U95), or rounded by the interval that its column names."""
    expanded = expanded_u if isinstance(expanded_u, (int, float)) and not isinstance(expanded_u, bool) else None
    return (format_rounded if column.rounded_by else format_uncertain)(cell, expanded, unit)
