"""`wattmark figure`: one figure for a paper."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from wattmark.analysis.parts.slopes import AMB_MARGIN_W
from wattmark.cli.console.options import DataDir
from wattmark.cli.console.plain_console import console
from wattmark.cli.tables.shown import OutputFile, put_figure
from wattmark.cli.tables.tables import (
    AnyVersion,
    Claim,
    FromLevel,
    LoadLevel,
    Margin,
    Order,
    Smallest,
    Top,
    WindowRule,
    Workload,
    ask,
    choose,
)
from wattmark.comparison.choices import DateKind
from wattmark.comparison.compare.yardstick import ComparedBy
from wattmark.core.errors import InputError
from wattmark.reports.figures.product_figures import FigureName, product_figure
from wattmark.reports.files.figure_file import FIGURE_FORMATS, FigureWidth
from wattmark.reports.table_query import DEFAULT_PCT

FigureFormat = Literal["svg", "pdf", "png"]


def figure(
    name: Annotated[FigureName, typer.Argument(help="Which figure.")],
    run: Annotated[str | None, typer.Option("--run", help="Run id (run, cross-check).")] = None,
    server: Annotated[str | None, typer.Option("--server", help="Server (memory, parts, compare).")] = None,
    part: Annotated[
        str | None, typer.Option("--part", help="Counted part (parts): its kind, or 'drive: Intel S3500'.")
    ] = None,
    configuration: Annotated[
        str | None, typer.Option("--configuration", help="server/configuration (scaling, load-levels).")
    ] = None,
    baseline: Annotated[str | None, typer.Option("--baseline", help="server/configuration (compare).")] = None,
    workload: Workload = None,
    level: LoadLevel = None,
    by: Annotated[ComparedBy, typer.Option("--figure", help="Quantity to compare (compare).")] = "efficiency",
    smallest: Smallest = DEFAULT_PCT,
    dates: Annotated[
        DateKind, typer.Option("--dates", help="Of published results: when sold, or when published (years).")
    ] = "available",
    sort: Order = "rank",
    top: Top = None,
    any_version: AnyVersion = False,
    claim: Claim = None,
    margin: Margin = AMB_MARGIN_W,
    from_level: FromLevel = None,
    window_rule: WindowRule = "complete",
    data: DataDir = None,
    format: Annotated[  # noqa: A002
        FigureFormat | None, typer.Option("--format", help="Default: the extension of the file name, otherwise svg.")
    ] = None,
    width: Annotated[
        FigureWidth, typer.Option("--width", help="Width in a journal of two columns: 89 mm or 178 mm.")
    ] = "two-columns",
    page: Annotated[
        int | None, typer.Option("--page", min=1, help="Only this page of a figure with many rows (compare).")
    ] = None,
    output: OutputFile = None,
) -> None:
    """Draw comparison, watts against DIMMs or parts, levels, power against load, published years, one run."""
    chosen = format or _by_name(output)
    if output is None and sys.stdout.isatty():
        raise InputError("A figure cannot be printed on a terminal.", f"Write it to a file: -o {name}.{chosen}.")
    query = choose(
        run_id=run, server=server, part=part, configuration=configuration, baseline=baseline, workload=workload,
        level=level, figure=by, smallest_pct=smallest, claim_w=claim, margin_w=margin, from_level=from_level,
        rule=window_rule, any_version=any_version, sort=sort, top=top, dates=dates,
    )  # fmt: skip
    plot = ask(data, lambda queries: product_figure(queries, name, query))
    put_figure(plot, chosen, output, width, page)
    console().print(plot.caption, markup=False)


def _by_name(output: Path | None) -> str:
    """Return the format that a file name asks for. Raises `InputError` where a figure cannot be written so."""
    ending = output.suffix.lstrip(".").lower() if output else ""
    if ending and ending not in FIGURE_FORMATS:
        endings = ", ".join(f".{known}" for known in FIGURE_FORMATS)
        raise InputError(f"Figures are not available as {ending[:20]!r}.", f"End the file name with one of: {endings}.")
    return ending or "svg"
