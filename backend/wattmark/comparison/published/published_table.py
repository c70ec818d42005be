"""The export of a table of the published library."""

from __future__ import annotations

from wattmark.comparison.published.views import PublishedTable
from wattmark.results.tables.marks import (
    PUBLISHED,
)
from wattmark.tables.table import Column, Table


def published_table(table: PublishedTable) -> Table:
    """Build the export of a published table; a column is numeric when it holds numbers only."""
    columns = tuple(_published_column(table, position) for position in range(len(table.columns)))
    marked = Column("marks", "Marks", for_people=False)
    notice = f"Published, not measured here. Source: {table.source}."
    rows = tuple((*row, PUBLISHED) for row in table.rows)
    return Table(table.id, table.title, (*columns, marked), rows, (notice, *table.remarks))


def _published_column(table: PublishedTable, position: int) -> Column:
    cells = [row[position] for row in table.rows]
    numeric = any(isinstance(cell, float) for cell in cells) and not any(isinstance(cell, str) for cell in cells)
    title = table.columns[position]
    return Column(title, title, kind="number" if numeric else "text")
