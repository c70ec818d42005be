"""`wattmark figure`: one figure for a paper."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from wattmark.appliance.product_figures import FigureName, product_figure
from wattmark.appliance.product_tables import TableQuery
from wattmark.cli.options import DataDir
from wattmark.cli.output import console
from wattmark.cli.tables import LoadLevel, OutputFile, Workload, ask, put
from wattmark.errors import InputError
from wattmark.reports.figure_file import FIGURE_FORMATS, write_figure

FigureFormat = Literal["svg", "pdf", "png"]


def figure(
    name: Annotated[FigureName, typer.Argument(help="Which figure.")],
    run: Annotated[str | None, typer.Option("--run", help="Which run (run).")] = None,
    server: Annotated[str | None, typer.Option("--server", help="Which server (memory).")] = None,
    configuration: Annotated[
        str | None, typer.Option("--configuration", help="server/configuration (scaling, load-levels).")
    ] = None,
    baseline: Annotated[str | None, typer.Option("--baseline", help="server/configuration (compare).")] = None,
    workload: Workload = None,
    level: LoadLevel = None,
    data: DataDir = None,
    format: Annotated[  # noqa: A002
        FigureFormat | None, typer.Option("--format", help="Default: what the file's name ends with, else svg.")
    ] = None,
    output: OutputFile = None,
) -> None:
    """Draw what a table shows: comparison, watts against DIMMs, levels, power against load, one run."""
    chosen = format or _by_name(output)
    if output is None and sys.stdout.isatty():
        raise InputError("A figure is not for a terminal.", f"Name a file: -o {name}.{chosen}.")
    query = TableQuery(
        run_id=run, server=server, configuration=configuration, baseline=baseline, workload=workload, level=level
    )
    plot = ask(data, lambda queries: product_figure(queries, name, query))
    put(write_figure(plot, chosen), output)
    console().print(plot.caption, markup=False)


def _by_name(output: Path | None) -> str:
    ending = output.suffix.lstrip(".").lower() if output else ""
    return ending if ending in FIGURE_FORMATS else "svg"
