"""Tags and notes as columns of a table of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from wattmark.reports.tables.table import Column, Table
from wattmark.runs.annotations.annotation import Annotation

_COLUMNS = (Column("tags", "Tags"), Column("note", "Note"))


def annotated(table: Table, annotations: Mapping[str, Annotation]) -> Table:
    """Add tags and notes to a table with a column ``run_id``; without any, the table stays as it is."""
    position = [column.key for column in table.columns].index("run_id")
    noted = [annotations.get(str(row[position]), Annotation()) for row in table.rows]
    if not any(annotation.tags or annotation.note for annotation in noted):
        return table
    rows = tuple(
        (*row, ", ".join(annotation.tags) or None, annotation.note or None)
        for row, annotation in zip(table.rows, noted, strict=True)
    )
    return replace(table, columns=(*table.columns, *_COLUMNS), rows=rows)
