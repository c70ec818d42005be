"""The published library as it leaves the service."""

from __future__ import annotations

from wattmark.core.schema import Schema


class PublishedTable(Schema):
    """A table of a published article, as data."""

    id: str
    title: str
    source: str
    columns: list[str]
    rows: list[list[str | float | None]]
    remarks: list[str]


class PublishedOut(Schema):
    """Library of published figures, not measured here."""

    notice: str
    sources: list[dict[str, str]]
    tables: list[PublishedTable]
