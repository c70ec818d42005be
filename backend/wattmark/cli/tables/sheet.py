"""`wattmark sheet`: a form or table that others ask for, with what is missing by name."""

from __future__ import annotations

from typing import Annotated, get_args

import typer

from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.tables.shown import FormatOption, OutputFile, Wide, file_format, show, view
from wattmark.cli.tables.tables import OfServer, OfWorkload, WindowRule, ask, choose
from wattmark.core.errors import InputError
from wattmark.core.likely import meant_or_listed
from wattmark.reports.product_tables import product_table
from wattmark.reports.sheets.sheet import SheetName, sheet_layout
from wattmark.tables.table import Column, Table

NAMES: tuple[SheetName, ...] = get_args(SheetName)


def sheet(
    name: Annotated[
        str | None,
        typer.Argument(help="Name of the sheet. Without it: list the sheets.", autocompletion=lambda: list(NAMES)),
    ] = None,
    run: Annotated[list[str] | None, typer.Option("--run", help="This run; repeatable. Default: every run.")] = None,
    campaign: Annotated[str | None, typer.Option("--campaign", help="The runs of this campaign.")] = None,
    server: OfServer = None,
    workload: OfWorkload = None,
    nodes: Annotated[int | None, typer.Option("--nodes", help="Nodes of the whole machine (eehpc).")] = None,
    wide: Wide = False,
    window_rule: WindowRule = "complete",
    data: DataDir = None,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """Fill in a sheet for others: Green500 power submission, MLPerf summary, procurement. Names what is missing."""
    format = file_format(format, output, as_json=as_json)  # noqa: A001
    if name is None:
        columns = (Column("name", "Name"), Column("title", "Title"))
        titles = tuple((each, sheet_layout(each).title) for each in NAMES)
        show(Table("sheets", "Sheets", columns, titles), format, output)
        return
    if name not in NAMES:
        raise InputError(f"There is no sheet {name[:80]!r}.", meant_or_listed(name[:80], NAMES, "Sheets"))
    query = choose(
        run_ids=",".join(run or ()),
        campaign_id=campaign,
        server=server,
        workload=workload,
        nodes=nodes,
        rule=window_rule,
    )
    show(view(ask(data, lambda sources: product_table(sources, name, query)), "", wide=wide), format, output)
