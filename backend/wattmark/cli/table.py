"""`wattmark table`: one table by its name, published ones included."""

from __future__ import annotations

from typing import Annotated

import typer

from wattmark.cli.options import DataDir
from wattmark.cli.tables import FormatOption, OutputFile, ask, show
from wattmark.errors import InputError
from wattmark.published.library import load_published, published_out
from wattmark.reports.table import Column, Table
from wattmark.reports.tables import published_table, results_table

RESULTS = "results"


def table(
    name: Annotated[str | None, typer.Argument(help="Which table. Without a name: the list of all.")] = None,
    data: DataDir = None,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
) -> None:
    """Print one table: the results, or a table of the published library."""
    show(_contents() if name is None else _named(name, data), format, output)


def _named(name: str, data: DataDir) -> Table:
    if name == RESULTS:
        return results_table(ask(data, lambda queries: queries.results()))
    found = next((t for t in published_out(load_published()).tables if t.id == name), None)
    if found is None:
        raise InputError(f"There is no table {name[:80]!r}.", "List the tables with `wattmark table`.")
    return published_table(found)


def _contents() -> Table:
    columns = (Column("name", "Name"), Column("title", "Title"), Column("source", "Source"))
    rows = [(t.id, t.title, t.source) for t in published_out(load_published()).tables]
    return Table("tables", "Tables", columns, ((RESULTS, "Results", "the data folder"), *rows))
