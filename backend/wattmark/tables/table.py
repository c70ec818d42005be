"""A table as data: columns with unit and kind, typed rows, footnotes. Writers turn it into files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Cell = str | float | int | bool | None
"""A value of a table; None: not known."""
ColumnKind = Literal["text", "number", "integer", "flag", "time"]
"""Times are ISO 8601 UTC strings."""


_IN_KEYS = {"%": "pct"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column. Files for machines head it with ``key``, files for people with ``title`` and the unit."""

    key: str
    title: str
    unit: str = ""
    kind: ColumnKind = "text"
    expanded_u: str | None = None
    """Key of the column with the expanded uncertainty; people see "value ± U95" in one cell."""
    standard_u: str | None = field(default=None, kw_only=True)
    """Key of the column with the standard uncertainty, where the table has it."""
    unit_from: str | None = None
    """Key of the column that names the unit of each row, where rows may differ."""
    for_people: bool = True
    """False: only in files for machines and spreadsheets."""
    rounded_by: str | None = None
    """Key of the column with half the width of an interval; people see value and ends to two digits of it."""
    rounding: str | None = None
    """Key of the column with the rounding of a published figure, which decides its last digit where it has no U95."""
    digits: int = 6
    """Significant digits of a number without any uncertainty: a setting, a duration, a factor."""
    prefixed: bool = False
    """People see the unit with the SI prefix that suits the largest value: 6.87 mJ."""
    partial: bool = False
    """``expanded_u`` holds only a part, as that of counting alone: it never gives more digits than none would."""

    @property
    def header(self) -> str:
        """Return the header for machines: the key, and the unit unless the key ends with it."""
        names_unit = not self.unit or self.key.lower().endswith(f"_{_IN_KEYS.get(self.unit, self.unit).lower()}")
        return self.key if names_unit else f"{self.key} [{self.unit}]"


@dataclass(frozen=True, slots=True)
class LayoutColumn:
    """One column of a layout, by its key in the table."""

    key: str
    title: str = ""
    """Another title than the column's own."""
    lead: str = ""
    """Key of a column whose cell is written in front, separated by a dot, if the rows differ in it."""
    otherwise: str = ""
    """Key of the column that fills an empty cell."""
    if_varies: bool = False
    """Omitted if all rows agree; a note says the value."""
    always: bool = False
    """Shown also where no row has a value, as an entry that a form asks for."""
    quotient: tuple[str, str] | None = None
    """Keys of dividend and divisor: spreadsheets compute the cell where that gives the same value."""
    against: tuple[str, ...] = ()
    """Keys of which one, divided by that of the baseline's row, gives the cell; as ``quotient`` in spreadsheets."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns; ``footnotes`` say what the marks in the rows mean and what the table answers."""

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    footnotes: tuple[str, ...] = ()
    methods: tuple[tuple[str, str], ...] = ()
    """(term, how it was found), for the sheet or section on methods."""
    layout: tuple[LayoutColumn, ...] = ()
    """Columns that people see, in order; empty: all that are meant for people, and the footnotes."""
    statements: tuple[str, ...] = ()
    """What the table answers, for layouts; marks and remarks of single rows are in ``row_notes``."""
    row_notes: tuple[tuple[str, ...], ...] = ()
    """For layouts: what must be known about each row, one sentence each; empty or as many as rows."""
    baseline: int | None = None
    """Row that others are compared with."""

    def position(self, key: str) -> int:
        """Return the position of a column by its key. Raises `KeyError`."""
        return {column.key: position for position, column in enumerate(self.columns)}[key]
