"""`wattmark results`: every run with its figures, to the screen or to a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table as RichTable

from wattmark.appliance.queries import Queries
from wattmark.cli.options import DataDir, data_dir
from wattmark.cli.output import emit_json
from wattmark.errors import InputError, WattmarkError
from wattmark.published.library import load_published
from wattmark.reports.formats import write
from wattmark.reports.preview import preview
from wattmark.reports.tables import results_table
from wattmark.storage.open import open_storage

Format = Literal["table", "json", "csv", "md", "xlsx"]


def results(
    data: DataDir = None,
    format: Annotated[Format, typer.Option("--format", help="How to print.")] = "table",  # noqa: A002
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write to this file.")] = None,
) -> None:
    """Print the results of all runs in a data folder."""
    folder = data_dir(data)
    if not (folder / "wattmark.db").is_file():
        raise InputError(f"There are no results in {folder}.", "Give the data folder of a service: --data DIR.")
    storage = open_storage(folder, read_only=True)
    try:
        found = Queries(storage, load_published()).results()
    finally:
        storage.close()
    if format == "json" and output is None:
        emit_json({"results": [result.model_dump(mode="json") for result in found]})
    elif format == "table" and output is None:
        _print(preview(results_table(found)).columns, preview(results_table(found)).rows)
    else:
        _write(write(results_table(found), "md" if format == "table" else format), format, output)


def _print(columns: list[str], rows: list[list[str]]) -> None:
    table = RichTable(*columns, header_style="bold")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def _write(content: bytes, format: Format, output: Path | None) -> None:  # noqa: A002
    if output is not None:
        try:
            output.write_bytes(content)
        except OSError as error:
            raise WattmarkError(f"Cannot write {output}: {error.strerror}.", "Choose another file with -o.") from error
        return
    if format == "xlsx" and sys.stdout.isatty():
        raise InputError("XLSX is not for a terminal.", "Name a file: -o results.xlsx.")
    sys.stdout.buffer.write(content)
