"""Tags and notes beside the figures of a table of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wattmark.annotations.record import Annotation
from wattmark.reports.table import Column, Table

_COLUMNS = (Column("tags", "Tags"), Column("note", "Note"))


def annotated(table: Table, known: Mapping[str, Annotation]) -> Table:
    """Add two columns to a table with a column ``run_id``; a table of runs without tags and notes stays as it is."""
    at = [column.key for column in table.columns].index("run_id")
    said = [known.get(str(row[at]), Annotation()) for row in table.rows]
    if not any(one.tags or one.note for one in said):
        return table
    rows = tuple(
        (*row, ", ".join(one.tags) or None, one.note or None) for row, one in zip(table.rows, said, strict=True)
    )
    return replace(table, columns=(*table.columns, *_COLUMNS), rows=rows)
