"""A table as data: columns with unit and kind, typed rows, footnotes. Writers turn it into files."""

from __future__ import annotations

from dataclasses import dataclass
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
    unit_from: str | None = None
    """Key of the column that names the unit of each row, where rows may differ."""
    for_people: bool = True
    """False: only in files for machines and spreadsheets."""
    rounded_by: str | None = None
    """Key of the column with half the width of an interval; people see value and ends to two digits of it."""

    @property
    def header(self) -> str:
        """Return the header for machines: the key, and the unit unless the key ends with it."""
        names_unit = not self.unit or self.key.lower().endswith(f"_{_IN_KEYS.get(self.unit, self.unit).lower()}")
        return self.key if names_unit else f"{self.key} [{self.unit}]"


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

    def position(self, key: str) -> int:
        """Return the position of a column by its key. Raises `KeyError`."""
        return {column.key: position for position, column in enumerate(self.columns)}[key]
