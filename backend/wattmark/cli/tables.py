"""What the commands that print a table share: formats, the data folder, the way to screen or file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as RichTable

from wattmark.analysis.rule_name import RuleName
from wattmark.appliance.queries import Queries
from wattmark.appliance.table_query import TableQuery
from wattmark.cli.options import data_dir
from wattmark.cli.plain_console import PlainConsole
from wattmark.errors import InputError, WattmarkError
from wattmark.published.library import load_published
from wattmark.reports.formats import BINARY, write
from wattmark.reports.preview import preview
from wattmark.reports.table import Table
from wattmark.reports.views import ExportPreview
from wattmark.storage.open import open_storage
from wattmark.whole_file import write_whole

Format = Literal["table", "json", "csv", "md", "tex", "html", "xlsx", "parquet"]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print.")]
OutputFile = Annotated[Path | None, typer.Option("-o", "--output", help="Write to this file.")]
Workload = Annotated[str | None, typer.Option("--workload", help="Which workload. Default: the one with most to show.")]
LoadLevel = Annotated[str | None, typer.Option("--level", help="Which load level, such as '4 processes'.")]
WindowRule = Annotated[RuleName, typer.Option("--window-rule", help="Which rule cuts the window of every run.")]
FromLevel = Annotated[float | None, typer.Option("--from", help="Average the levels at or above this one.")]
Smallest = Annotated[
    float, typer.Option("--smallest", help="Smallest difference of interest [%]; closer than that is equal.")
]
Claim = Annotated[float, typer.Option("--claim", help="Watts per DIMM that somebody claims; tested.")]
Margin = Annotated[float, typer.Option("--margin", help="Equal to the claim within so many watts per DIMM.")]
OPTIONS = {"smallest_pct": "--smallest", "claim_w": "--claim", "margin_w": "--margin", "from_level": "--from"}
"""Options that are not named after what they choose."""
T = TypeVar("T")
WIDEST = 10_000
"""Columns of text that no table exceeds when nothing limits it."""


def ask(data: Path | None, question: Callable[[Queries], T]) -> T:
    """Answer a question about the runs of a data folder. Raises `InputError` where there are none."""
    folder = data_dir(data)
    if not (folder / "wattmark.db").is_file():
        raise InputError(f"There are no results in {folder}.", "Give the data folder of a service: --data DIR.")
    storage = open_storage(folder, read_only=True)
    try:
        return question(Queries(storage, load_published()))
    finally:
        storage.close()


def choose(**choices: Any) -> TableQuery:
    """Check what a table is asked for. Raises `InputError` naming the option that cannot be."""
    try:
        return TableQuery(**choices)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        option = OPTIONS.get(name, f"--{name.replace('_', '-')}")
        raise InputError(f"{option}: {first['msg']}.", f"Choose another value; see {option} in --help.") from None


def show(table: Table, format: Format, output: Path | None) -> None:  # noqa: A002 - the word of the option
    """Print a table, or write it to a file; "table" in a file is Markdown."""
    if format == "table" and output is None:
        _print(table)
        return
    if format in BINARY and output is None and sys.stdout.isatty():
        raise InputError(f"{format.upper()} is not for a terminal.", f"Name a file: -o {table.id}.{format}.")
    put(write(table, "md" if format == "table" else format), output)


def _print(table: Table) -> None:
    page = preview(table)
    console = PlainConsole()
    if not page.rows:
        console.print(f"{page.title}: nothing yet.", soft_wrap=True)
        return
    shown = RichTable(*page.columns, title=page.title, header_style="bold")
    for row in page.rows:
        shown.add_row(*row)
    needed = Measurement.get(console, console.options.update(max_width=WIDEST), shown)
    if not console.is_terminal:
        console.width = needed.maximum
    if needed.minimum <= console.width:
        console.print(shown)
    else:
        _print_records(console, page)
    for note in page.footnotes:
        console.print(note, soft_wrap=True)


def _print_records(console: Console, page: ExportPreview) -> None:
    """Print every row as lines of its own, where the terminal is too narrow for the words of the columns."""
    console.print(page.title, style="italic")
    width = max(map(len, page.columns), default=0)
    for row in page.rows:
        console.print()
        for heading, cell in zip(page.columns, row, strict=True):
            console.print(f"{heading:<{width}}  {cell}", soft_wrap=True)


def put(content: bytes, output: Path | None) -> None:
    """Write to a file, or to standard output. Raises `WattmarkError` where the file cannot be written."""
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        write_whole(output, content)
    except OSError as error:
        raise WattmarkError(f"Cannot write {output}: {error.strerror}.", "Choose another file with -o.") from error
