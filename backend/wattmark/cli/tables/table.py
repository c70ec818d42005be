"""`wattmark table`: one table by its name, published ones included."""

from __future__ import annotations

from typing import Annotated

import typer

from wattmark.analysis.parts.slopes import AMB_MARGIN_W
from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.tables.shown import Columns, FormatOption, OutputFile, Wide, file_format, show, view
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
    ask,
    choose,
)
from wattmark.comparison.choices import Axis, Figure
from wattmark.comparison.published.library import load_published, published_out
from wattmark.comparison.published.published_table import published_table
from wattmark.core.errors import InputError
from wattmark.core.likely import meant
from wattmark.reports.product_tables import NAMES, TITLES, product_table
from wattmark.reports.table_query import DEFAULT_PCT, TableQuery, require_used
from wattmark.tables.table import Column, Table

RESULTS = "results"


def _names() -> list[str]:
    return [*NAMES, *(table.id for table in published_out(load_published()).tables)]


def table(
    name: Annotated[
        str | None, typer.Argument(help="Name of the table. Without it: list all tables.", autocompletion=_names)
    ] = None,
    workload: Annotated[str | None, typer.Option("--workload", help="Only this workload.")] = None,
    level: LoadLevel = None,
    server: Annotated[str | None, typer.Option("--server", help="Server (memory, parts).")] = None,
    against: Annotated[str | None, typer.Option("--against", help="The other server (break-even).")] = None,
    part: Annotated[
        str | None, typer.Option("--part", help="Counted part (parts): its kind, or 'drive: Intel S3500'.")
    ] = None,
    against_part: Annotated[
        str | None, typer.Option("--against-part", help="The other parts (parts-break-even).")
    ] = None,
    configuration: Annotated[
        str | None,
        typer.Option("--configuration", help="server/configuration (scaling, load-levels, extrapolated, suite)."),
    ] = None,
    suite: Annotated[
        str | None, typer.Option("--suite", help="Suite (suite, suite-levels). Default: the one that ran furthest.")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="server/configuration used as the baseline.")
    ] = None,
    factor: Annotated[
        str | None, typer.Option("--factor", help="Factor that differs (deltas), such as os.kernel.")
    ] = None,
    new: Annotated[str | None, typer.Option("--new", help="New value of the factor.")] = None,
    old: Annotated[str | None, typer.Option("--old", help="Old value of the factor.")] = None,
    ignore: Annotated[str, typer.Option("--ignore", help="Other factors that may differ, separated by commas.")] = "",
    figure: Annotated[Figure, typer.Option("--figure", help="Quantity to compare.")] = "efficiency",
    axis: Annotated[Axis, typer.Option("--axis", help="Axis of the extrapolation.")] = "clock",
    target: Annotated[
        float | None, typer.Option("--target", help="Target of the extrapolation: clock [MHz], cores or load.")
    ] = None,
    smallest: Smallest = DEFAULT_PCT,
    sort: Order = "rank",
    top: Top = None,
    any_version: AnyVersion = False,
    claim: Claim = None,
    margin: Margin = AMB_MARGIN_W,
    from_level: FromLevel = None,
    wide: Wide = False,
    columns: Columns = "",
    window_rule: WindowRule = "complete",
    data: DataDir = None,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """Print one table by its name: of the runs of a data folder, or of the published library."""
    format = file_format(format, output, as_json=as_json)  # noqa: A001
    if name is None:
        show(_contents(), format, output)
        return
    query = choose(
        workload=workload, level=level, server=server, against=against, part=part,
        against_part=against_part, configuration=configuration, suite=suite,
        baseline=baseline, factor=factor, new=new, old=old, ignore=ignore, figure=figure, axis=axis, target=target,
        smallest_pct=smallest, claim_w=claim, margin_w=margin, from_level=from_level, rule=window_rule,
        any_version=any_version, sort=sort, top=top,
    )  # fmt: skip
    show(view(_named(name, data, query), columns, wide=wide), format, output)


def _named(name: str, data: DataDir, query: TableQuery) -> Table:
    if name in NAMES:
        require_used(name, query)
        return ask(data, lambda queries: product_table(queries, name, query))
    published = next((t for t in published_out(load_published()).tables if t.id == name), None)
    if published is None:
        remedy = meant(name[:80], _names()) or "List the tables with `wattmark table`."
        raise InputError(f"There is no table {name[:80]!r}.", remedy)
    require_used("published", query)
    return published_table(published)


def _contents() -> Table:
    columns = (Column("name", "Name"), Column("title", "Title"), Column("source", "Source"))
    own = [(name, title, "the data folder") for name, title in {RESULTS: "Results", **TITLES}.items()]
    rows = [(t.id, t.title, t.source) for t in published_out(load_published()).tables]
    return Table("tables", "Tables", columns, (*own, *rows))
