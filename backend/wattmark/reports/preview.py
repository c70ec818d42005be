"""Preview of a table export, for the page and the terminal."""

from __future__ import annotations

from itertools import islice

from wattmark.reports.files.formats import available_formats
from wattmark.reports.tables.people import lay_out
from wattmark.reports.tables.table import Table
from wattmark.reports.views import ExportPreview

MOST_SHOWN = 500
"""Rows that a page shows; a longer table is cut, and a footnote says so."""


def preview(table: Table) -> ExportPreview:
    """Return a table, or its first rows, as text, with the available file formats."""
    page, n = lay_out(table), len(table.rows)
    cut = (f"The first {MOST_SHOWN} of {n} rows are shown; a file has all of them.",) if n > MOST_SHOWN else ()
    return ExportPreview(
        table=table.id,
        title=table.title,
        columns=list(page.headings),
        rows=[list(row) for row in islice(page.rows, MOST_SHOWN)],
        footnotes=[*cut, *table.footnotes],
        formats=available_formats(),
    )
