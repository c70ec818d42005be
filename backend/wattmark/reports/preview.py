"""A table as it would be exported, for the page and the terminal."""

from __future__ import annotations

from wattmark.reports.formats import available_formats
from wattmark.reports.people import lay_out
from wattmark.reports.table import Table
from wattmark.reports.views import ExportPreview


def preview(table: Table) -> ExportPreview:
    """Show a table as people read it, with the formats it can be written in."""
    page = lay_out(table)
    return ExportPreview(
        table=table.id,
        title=table.title,
        columns=list(page.headings),
        rows=[list(row) for row in page.rows],
        footnotes=list(table.footnotes),
        formats=available_formats(),
    )
