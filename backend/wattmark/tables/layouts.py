"""Visible columns of a table: its own layout for an article, all of them, or columns by their keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from wattmark.core.errors import InputError
from wattmark.core.likely import meant
from wattmark.tables.table import Column, LayoutColumn, Table

LayoutName = Literal["paper", "full"]

MARKS = ("marks",)
"""Columns that every choice of columns includes: no figure is shown without its nature."""


def arranged(table: Table, layout: LayoutName = "paper", columns: Sequence[str] = ()) -> Table:
    """Choose the layout of a table; ``columns`` by their keys replace it, and then the files contain only these.

    A chosen column brings its unit, its ± and its rounding. Raises `InputError` for an unknown key.
    """
    if columns:
        return _chosen(table, columns)
    return replace(table, layout=table.layout if layout == "paper" else ())


def shown_keys(table: Table) -> list[str]:
    """List the keys of the columns that people see."""
    return [shown.key for shown in table.layout] or [column.key for column in table.columns if column.for_people]


def names_in(text: str) -> tuple[str, ...]:
    """Split names that are separated by commas, each once."""
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _chosen(table: Table, keys: Sequence[str]) -> Table:
    by_key = {column.key: column for column in table.columns}
    for key in keys:
        if key not in by_key:
            remedy = meant(key[:80], list(by_key)) or f"Columns: {', '.join(by_key)}."
            raise InputError(f"This table has no column {key[:80]!r}.", remedy)
    marks = [key for key in MARKS if key in by_key]
    wanted = dict.fromkeys([*(name for key in keys for name in (key, *_companions(by_key[key]))), *marks])
    positions = [table.position(key) for key in wanted]
    rows = tuple(tuple(row[position] for position in positions) for row in table.rows)
    columns = tuple(by_key[key] for key in wanted)
    noted = [] if table.row_notes or set(marks) <= set(keys) else marks
    return replace(table, columns=columns, rows=rows, layout=tuple(LayoutColumn(key) for key in (*keys, *noted)))


def _companions(column: Column) -> list[str]:
    return [key for key in (column.expanded_u, column.rounded_by, column.rounding, column.unit_from) if key]
