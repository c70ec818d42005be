"""The file formats a table can be written in."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import IO

from wattmark.core.errors import InputError
from wattmark.core.extras import installed
from wattmark.tables.csv_file import write_csv
from wattmark.tables.html_file import write_html
from wattmark.tables.json_file import write_json
from wattmark.tables.latex_file import write_latex
from wattmark.tables.markdown_file import write_markdown
from wattmark.tables.parquet_file import write_parquet
from wattmark.tables.table import Table
from wattmark.tables.tsv_file import write_tsv
from wattmark.tables.xlsx_file import write_xlsx

FORMATS = {
    "csv": "text/csv; charset=utf-8; header=present",
    "md": "text/markdown; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
    "html": "text/html; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
"""Extension -> media type."""
BINARY = ("xlsx", "parquet")
"""Formats that are not for a terminal."""

_WRITERS: dict[str, Callable[[Table, IO[bytes]], None]] = {
    "csv": write_csv,
    "md": write_markdown,
    "xlsx": write_xlsx,
    "json": write_json,
    "html": write_html,
    "tex": write_latex,
    "tsv": write_tsv,
    "parquet": write_parquet,
}


def available_formats() -> list[str]:
    """List the formats that this installation can write."""
    return [extension for extension in FORMATS if extension != "parquet" or installed("parquet")]


def write(table: Table, format: str) -> bytes:  # noqa: A002 - the word everybody uses for it
    """Write a table of a few rows; the same table always gives the same bytes. Raises `InputError` as `write_to`."""
    file = io.BytesIO()
    write_to(file, table, format)
    return file.getvalue()


def write_to(file: IO[bytes], table: Table, format: str) -> None:  # noqa: A002
    """Write a table into a file row by row. Raises `InputError` for an unknown format, and `OSError`."""
    writer = _WRITERS.get(format)
    if writer is None:
        raise InputError(f"Tables are not available as {format[:20]!r}.", f"Formats: {', '.join(FORMATS)}.")
    writer(table, file)
