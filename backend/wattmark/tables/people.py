"""A table as people read it: fewer columns, "value ± U95" in one cell, units in the head, thousands grouped."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from string import ascii_lowercase

from wattmark.core.numbers import NOT_KNOWN, format_number, format_printed, format_rounded, format_uncertain, partial_u
from wattmark.core.separator import DOT
from wattmark.tables.table import Cell, Column, LayoutColumn, Table

Row = tuple[Cell, ...]
_YES_NO = {True: "yes", False: "no"}
_LAST = ("run_id",)
"""Columns that people see last: they look for figures, not for ids."""
_PREFIXES = {-4: "p", -3: "n", -2: "µ", -1: "m", 0: "", 1: "k", 2: "M", 3: "G"}
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MILLION = 2
"""Thousands of thousands."""
NOTES = "Notes"
"""Head of the column of letters that refer to notes."""
PLUS_MINUS = "± is the expanded uncertainty at 95 % (U95)."


@dataclass(frozen=True, slots=True)
class WrittenCell:
    """A cell with what decides how it is written."""

    column: Column
    value: Cell
    expanded_u: float | None = None
    rounding: float | None = None
    unit: str = ""
    """Unit, where rows differ in it."""


Write = Callable[[WrittenCell], str]


@dataclass(frozen=True, slots=True)
class PageColumn:
    """A column as people see it; ``entry`` takes its cell from a row of the table."""

    title: str
    unit: str
    numeric: bool
    entry: Callable[[Row], WrittenCell]
    shown: LayoutColumn

    @property
    def heading(self) -> str:
        """Return title and unit on one line."""
        return f"{self.title} [{self.unit}]" if self.unit else self.title


@dataclass(frozen=True, slots=True)
class Page:
    """Columns, what the table answers, notes about all of it, and lettered notes about single rows."""

    table: Table
    columns: tuple[PageColumn, ...]
    write: Write
    headline: str = ""
    notes: tuple[str, ...] = ()
    letters: tuple[tuple[str, str], ...] = ()
    """(letter, note), in the order of their first row."""

    @property
    def headings(self) -> tuple[str, ...]:
        """Return the heads, with that of the letters."""
        return (*(column.heading for column in self.columns), *([NOTES] if self.letters else []))

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Return which columns are right-aligned."""
        return (*(column.numeric for column in self.columns), *([False] if self.letters else []))

    @property
    def lines(self) -> Iterator[tuple[tuple[WrittenCell, ...], str]]:
        """Iterate over the cells of each row and the letters of its notes."""
        by_note = {note: letter for letter, note in self.letters}
        for row, notes in zip_longest(self.table.rows, self.table.row_notes, fillvalue=()):
            known = {by_note[note] for note in notes if note in by_note}
            letters = " ".join(sorted(known, key=lambda letter: (len(letter), letter)))
            yield tuple(column.entry(row) for column in self.columns), letters

    @property
    def rows(self) -> Iterator[tuple[str, ...]]:
        """Iterate over the rows as text, so that a long table is not in memory twice."""
        for entries, letters in self.lines:
            yield (*map(self.write, entries), *([letters] if self.letters else []))

    @property
    def footnotes(self) -> tuple[str, ...]:
        """Return all notes, each about rows with its letter in front."""
        headline = (self.headline,) if self.headline else ()
        return (*headline, *self.notes, *(f"{letter}: {note}" for letter, note in self.letters))


def lay_out(table: Table, write: Write | None = None) -> Page:
    """Arrange a table for people; cells are written by ``write`` (default: `cell_text`).

    A column without any value is omitted. With a layout the page has its columns, and the notes of rows get letters.
    """
    write = write or cell_text
    if not table.layout:
        ordered = sorted(table.columns, key=lambda column: column.key in _LAST)
        columns = [_column(table, LayoutColumn(column.key)) for column in ordered if column.for_people]
        return Page(table, _filled(table, columns, write), write, notes=table.footnotes)
    agreed = [shown for shown in table.layout if shown.if_varies and not _varies(table, shown.key)]
    columns = [_column(table, shown) for shown in table.layout if shown not in agreed]
    filled = _filled(table, columns, write)
    uncertain = any(table.columns[table.position(column.shown.key)].expanded_u for column in filled)
    about = [*table.statements, *_agreed(table, agreed)]
    notes = (*about[1:], *([PLUS_MINUS] if uncertain else []))
    texts = dict.fromkeys(note for notes_of_row in table.row_notes for note in notes_of_row)
    letters = tuple(zip(_letters(), texts, strict=False))
    return Page(table, filled, write, about[0] if about else "", notes, letters)


def _filled(table: Table, columns: list[PageColumn], write: Write) -> tuple[PageColumn, ...]:
    return tuple(
        column
        for column in columns
        if column.shown.always or not table.rows or any(write(column.entry(row)) != NOT_KNOWN for row in table.rows)
    )


def _varies(table: Table, key: str) -> bool:
    position = table.position(key)
    return len({row[position] for row in table.rows}) > 1


def _agreed(table: Table, agreed: list[LayoutColumn]) -> list[str]:
    """Describe once what all rows share."""
    if not table.rows:
        return []
    values = [
        f"{(shown.title or table.columns[table.position(shown.key)].title).lower()} {cell}"
        for shown in agreed
        if (cell := table.rows[0][table.position(shown.key)]) not in (None, "")
    ]
    return [f"All rows: {', '.join(values)}."] if values else []


def _letters() -> Iterator[str]:
    """Yield a, b, ... z, aa, ab, ..."""
    before = [""]
    while True:
        before = [start + letter for start in before for letter in ascii_lowercase]
        yield from before


def _column(table: Table, shown: LayoutColumn) -> PageColumn:
    position = table.position(shown.key)
    column = table.columns[position]
    source = _position(table, column.unit_from)
    units = {column.unit} if source is None else {str(row[source] or "") for row in table.rows}
    common = units.pop() if len(units) == 1 else ""
    own_units = source if units else None
    expanded = _position(table, column.expanded_u or column.rounded_by)
    rounding = _position(table, column.rounding)
    lead = _position(table, shown.lead) if shown.lead and _varies(table, shown.lead) else None
    otherwise = _position(table, shown.otherwise)
    prefix, factor = _prefix(table, position) if column.prefixed else ("", 1.0)
    if table.layout and column.unit_from and common:
        prefix, factor = _power_of_ten(table, position)

    def uncertainty(row: Row) -> float | None:
        u = _amount(row, expanded)
        return partial_u(_amount(row, position), u) if column.partial else u

    def entry(row: Row) -> WrittenCell:
        value = row[position]
        if value in (None, "") and otherwise is not None:
            value = row[otherwise]
        if lead is not None and value not in (None, ""):
            value = f"{row[lead]}{DOT}{value}"
        unit = "" if own_units is None else str(row[own_units] or "")
        u, width = uncertainty(row), _amount(row, rounding)
        if factor != 1.0 and isinstance(value, float):
            value, u, width = value * factor, _scaled(u, factor), _scaled(width, factor)
        return WrittenCell(column, value, u, width, unit)

    title = shown.title or column.title
    without = bool(table.rows) and all(uncertainty(row) is None for row in table.rows)
    if column.expanded_u and not without and not table.layout:
        title = f"{title} ± U95"
    return PageColumn(title, f"{prefix}{common}", column.kind in ("number", "integer"), entry, shown)


def _prefix(table: Table, position: int) -> tuple[str, float]:
    """Return the SI prefix with which the largest value of a column reads between 1 and 1000, and the factor to it."""
    power = min(max(_thousands(table, position), -4), 3)
    return _PREFIXES[power], 10.0 ** (-3 * power)


def _power_of_ten(table: Table, position: int) -> tuple[str, float]:
    """Return the power of ten in front of a unit of work, and the factor to it: from a million on."""
    power = _thousands(table, position)
    return (f"10{str(3 * power).translate(_RAISED)} ", 10.0 ** (-3 * power)) if power >= _MILLION else ("", 1.0)


def _thousands(table: Table, position: int) -> int:
    """Return how often the largest value of a column can be divided by 1000 and stay above 1."""
    cells = [abs(cell) for row in table.rows if isinstance(cell := row[position], float) and math.isfinite(cell)]
    largest = max(cells, default=0.0)
    return math.floor(math.log10(largest) / 3) if largest else 0


def _position(table: Table, key: str | None) -> int | None:
    return table.position(key) if key else None


def _amount(row: Row, position: int | None) -> float | None:
    cell = None if position is None else row[position]
    return float(cell) if isinstance(cell, (int, float)) and not isinstance(cell, bool) else None


def _scaled(amount: float | None, factor: float) -> float | None:
    return None if amount is None else amount * factor


def cell_text(entry: WrittenCell) -> str:
    """Format a cell as plain text; a dash for an unknown value."""
    cell = entry.value
    if cell is None or cell == "":
        return NOT_KNOWN
    if isinstance(cell, bool):
        return _YES_NO[cell]
    if isinstance(cell, str):
        return cell
    return number_text(entry, float(cell), entry.unit) if entry.column.kind == "number" else format_number(cell, 15)


def number_text(entry: WrittenCell, value: float, unit: str = "") -> str:
    """Format a number: with its ± (U95), by the interval or the rounding that its column names, or as it is."""
    column = entry.column
    if column.rounded_by:
        return format_rounded(value, entry.expanded_u, unit)
    if entry.expanded_u is None and entry.rounding is not None:
        return format_printed(value, entry.rounding, unit)
    if column.expanded_u:
        return format_uncertain(value, entry.expanded_u, unit)
    return format_number(value, column.digits, unit)
