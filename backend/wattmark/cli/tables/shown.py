"""A table to the screen or to a file, in the format that was asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Annotated, Any, Literal, cast

import typer
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as RichTable
from rich.text import Text

from wattmark.cli.console.grid import grid, total_width, widths_of
from wattmark.cli.console.narrow import narrow, wrapped
from wattmark.cli.console.output import USUAL_WIDTH, json_text, visible
from wattmark.cli.console.output_file import ending_of, require_ending
from wattmark.cli.console.plain_console import PlainConsole, console
from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.whole_file import whole_file
from wattmark.reports.figures.plot import Plot
from wattmark.reports.files.figure_file import FigureWidth, figure_pages, write_figure
from wattmark.tables.formats import BINARY, FORMATS, write, write_to
from wattmark.tables.layouts import arranged, names_in
from wattmark.tables.people import Page, lay_out
from wattmark.tables.table import Table

Format = Literal["table", "json", "csv", "md", "tex", "html", "tsv", "xlsx", "parquet"]
FormatOption = Annotated[Format, typer.Option("--format", help="Output format.")]
OutputFile = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="Write to this file, in the format of its ending; to .txt and .log, Markdown."),
]
Wide = Annotated[bool, typer.Option("--wide", help="Show all columns that are meant for people.")]
Columns = Annotated[
    str, typer.Option("--columns", help="Show only these columns, separated by commas, by their names in CSV.")
]
_OF_TEXT = ("txt", "log")
"""How the name of a file may end that gets a table in any format that is text."""
MOST_WRAPPED = 1000
"""Rows of a table whose cells are wrapped for a terminal; of a longer one every row has lines of its own."""
WIDEST = 10_000
"""Columns of text that no table exceeds when nothing limits it."""


def file_format(format: Format, output: Path | None, *, as_json: bool) -> Format:  # noqa: A002 - the word of the option
    """Choose the format of a table: as the options say, else as the name of the file ends.

    Raises `InputError` for options, or a name, that contradict each other.
    """
    if as_json and format not in ("table", "json"):
        raise InputError(f"--json and --format {format} exclude each other.", "Give one of them.")
    wanted: Format = "json" if as_json else format
    ending = "" if output is None else ending_of(output)
    if wanted == "table" and ending in FORMATS:
        return cast("Format", ending)
    allowed = (
        *(FORMATS if wanted == "table" else (wanted,)),
        *(("htm",) if wanted == "html" else ()),
        *(() if wanted in BINARY else _OF_TEXT),
    )
    require_ending(output, allowed, "A table" if wanted == "table" else f"A table in the format {wanted}")
    return wanted


def view(table: Table, columns: str, *, wide: bool) -> Table:
    """Choose the columns of a table: these, all, or those of an article. Raises `InputError` for an unknown one."""
    return arranged(table, "full" if wide else "paper", names_in(columns))


def show(table: Table, format: Format, output: Path | None) -> None:  # noqa: A002 - the word of the option
    """Print a table, or write it to a file; "table" in a file is Markdown."""
    if format == "table" and output is None:
        _print(table)
        return
    if format in BINARY and output is None and sys.stdout.isatty():
        raise InputError(
            f"{format.upper()} cannot be printed on a terminal.", f"Write it to a file: -o {table.id}.{format}."
        )
    if format in BINARY and output is None:
        put(write(table, format), None)  # a pipe cannot seek
        return
    put_file(partial(write_to, table=table, format="md" if format == "table" else format), output)


def put_json(document: Any, output: Path | None) -> None:
    """Write a JSON document to a file, or to standard output. Raises `WattmarkError` as `put`."""
    put(json_text(document).encode(), output)


def _print(table: Table) -> None:
    page = lay_out(table)
    screen = PlainConsole()
    if not table.rows:
        for text in table.statements or [f"{table.title}: nothing yet."]:
            screen.print(text, soft_wrap=True)
        return
    if table.layout and _print_narrow(screen, page):
        return
    widths = widths_of(page.headings, lambda: page.rows)
    if not screen.is_terminal or total_width(widths) <= screen.width:
        _print_grid(screen, page, widths)
    elif len(table.rows) > MOST_WRAPPED or not _print_wrapped(screen, page):
        _print_records(screen, page)
    for note in page.footnotes:
        screen.print(note, soft_wrap=True)


def _print_narrow(console: Console, page: Page) -> bool:
    """Print a table as wide as the terminal at most; False where its numbers are wider."""
    width = console.width if console.is_terminal else USUAL_WIDTH
    lines = narrow(page, width)
    if lines is None:
        return False
    sys.stdout.write(f"{wrapped(page.table.title, width)}\n\n")
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.writelines(f"{wrapped(note, width)}\n" for note in ("", *page.footnotes))
    sys.stdout.flush()
    return True


def _print_grid(console: Console, page: Page, widths: Sequence[int]) -> None:
    """Print a table as wide as it is, row by row."""
    console.width = total_width(widths)
    console.print(Text(visible(page.table.title), style="italic"), justify="center")
    for line in grid(page.headings, lambda: page.rows, widths):
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _print_wrapped(console: Console, page: Page) -> bool:
    """Print a table with its cells wrapped; False where the terminal is too narrow for their longest words."""
    shown = RichTable(*page.headings, title=page.table.title, header_style="bold")
    for row in page.rows:
        shown.add_row(*row)
    if Measurement.get(console, console.options.update(max_width=WIDEST), shown).minimum > console.width:
        return False
    console.print(shown)
    return True


def _print_records(console: Console, page: Page) -> None:
    """Print every row as lines of its own, where the terminal is too narrow for the words of the columns."""
    console.print(page.table.title, style="italic")
    width = max(map(len, page.headings), default=0)
    for row in page.rows:
        lines = (f"{heading:<{width}}  {cell}" for heading, cell in zip(page.headings, row, strict=True))
        sys.stdout.write("".join(f"{visible(line)}\n" for line in ("", *lines)))
    sys.stdout.flush()


def put_figure(
    plot: Plot,
    format: str,  # noqa: A002
    output: Path | None,
    width: FigureWidth = "two-columns",
    page: int | None = None,
) -> None:
    """Write a figure; where it has several pages, say which the file holds. Raises `InputError` for an unknown page."""
    put(write_figure(plot, format, width, page), output)
    pages = len(figure_pages(plot, width))
    if pages > 1 and page is None:
        holds = f"{pages} pages." if format == "pdf" else f"Page 1 of {pages}; a PDF holds them all."
        console().print(holds)


def put(content: bytes, output: Path | None) -> None:
    """Write to a file, or to standard output. Raises `WattmarkError` where the file cannot be written."""
    put_file(lambda file: file.write(content), output)


def put_file(write: Callable[[IO[bytes]], object], output: Path | None) -> None:
    """Let something write a file, or to standard output. Raises `WattmarkError` where the file cannot be written."""
    if output is None:
        write(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    try:
        with whole_file(output) as file:
            write(file)
    except OSError as error:
        raise WattmarkError(f"Cannot write {output}: {error.strerror}.", "Choose another file with -o.") from error
