"""A table as people read it: fewer columns, "value ± U" in one cell, units in the head, thousands grouped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wattmark.reports.numbers import NOT_KNOWN, format_number, format_rounded, format_uncertain
from wattmark.reports.table import Cell, Column, Table

Write = Callable[[Column, Cell, Cell, str], str]
"""How to write a cell: column, value, expanded uncertainty, unit where rows differ in it."""
_YES_NO = {True: "yes", False: "no"}


@dataclass(frozen=True, slots=True)
class Page:
    """Headings and cells as text; ``numeric`` tells which columns are right-aligned."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]


def lay_out(table: Table, write: Write | None = None) -> Page:
    """Write every cell as text (default: `cell_text`). A column where no row says anything is left out."""
    laid = [
        _column(table, position, write or cell_text)
        for position, column in enumerate(table.columns)
        if column.for_people
    ]
    shown = [
        (heading, cells, numeric)
        for heading, cells, numeric in laid
        if not table.rows or any(c != NOT_KNOWN for c in cells)
    ]
    rows = tuple(tuple(cells[row] for _, cells, _ in shown) for row in range(len(table.rows)))
    return Page(tuple(heading for heading, _, _ in shown), rows, tuple(numeric for _, _, numeric in shown))


def _column(table: Table, position: int, write: Write) -> tuple[str, list[str], bool]:
    column = table.columns[position]
    unit, row_units = _units(table, column)
    by = column.expanded_u or column.rounded_by
    expanded = table.position(by) if by else None
    without = expanded is not None and table.rows and all(row[expanded] is None for row in table.rows)
    plus_minus = " ± U95" if column.expanded_u and not without else ""
    heading = f"{column.title}{plus_minus} [{unit}]" if unit else f"{column.title}{plus_minus}"
    cells = [
        write(column, row[position], row[expanded] if expanded is not None else None, row_unit)
        for row, row_unit in zip(table.rows, row_units, strict=True)
    ]
    return heading, cells, column.kind in ("number", "integer")


def _units(table: Table, column: Column) -> tuple[str, Sequence[str]]:
    """Put the unit into the head when all rows share it, else into each cell."""
    nothing = [""] * len(table.rows)
    if column.unit_from is None:
        return column.unit, nothing
    source = table.position(column.unit_from)
    units = [str(row[source] or "") for row in table.rows]
    return (units[0], nothing) if len(set(units)) == 1 else ("", units)


def cell_text(column: Column, cell: Cell, expanded_u: Cell, unit: str) -> str:
    """Write a cell in plain text; a dash where nothing is known."""
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
    """Write a number with its ±, or rounded by the interval that its column names."""
    known = expanded_u if isinstance(expanded_u, (int, float)) and not isinstance(expanded_u, bool) else None
    return (format_rounded if column.rounded_by else format_uncertain)(cell, known, unit)
