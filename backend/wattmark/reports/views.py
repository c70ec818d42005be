"""A table as it would be exported."""

from __future__ import annotations

from wattmark.core.schema import Schema


class ExportPreview(Schema):
    """A table as it would be exported."""

    table: str
    title: str
    columns: list[str]
    rows: list[list[str]]
    footnotes: list[str]
    formats: list[str]
