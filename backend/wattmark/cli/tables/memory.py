"""`wattmark memory`: watts against the number of DIMMs of one server."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from wattmark.analysis.parts.slopes import AMB_MARGIN_W
from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.console.plain_console import console
from wattmark.cli.tables.shown import Columns, FormatOption, OutputFile, Wide, file_format, show, view
from wattmark.cli.tables.tables import Claim, LoadLevel, Margin, WindowRule, Workload, ask, choose
from wattmark.comparison.compare.defaults import choose_memory
from wattmark.reports.product_tables import product_table
from wattmark.reports.sources import Sources
from wattmark.tables.table import Table


def memory(
    server: Annotated[
        str | None, typer.Option("--server", help="Server. Default: the one with the most DIMM counts.")
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", help="Another server, for the break-even DIMM count.")
    ] = None,
    modules: Annotated[
        str | None,
        typer.Option("--modules", help="Kind of modules, or all. Default: the kind with the most DIMM counts."),
    ] = None,
    claim: Claim = None,
    margin: Margin = AMB_MARGIN_W,
    wide: Wide = False,
    columns: Columns = "",
    window_rule: WindowRule = "complete",
    workload: Workload = None,
    level: LoadLevel = None,
    data: DataDir = None,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """Tell what a DIMM costs in watts, with its interval."""
    format = file_format(format, output, as_json=as_json)  # noqa: A001
    query = choose(modules=modules, claim_w=claim, margin_w=margin, rule=window_rule)

    def question(sources: Sources) -> Table:
        chosen = choose_memory(sources.results.results(), server, workload, level)
        if None in (server, workload, level):
            console().print(f"Shown: {', '.join(chosen)}.", markup=False)
        completed = query.model_copy(update=dict(zip(("server", "workload", "level"), chosen, strict=True)))
        table = product_table(sources, "memory", completed)
        if against is None:
            return table
        break_even = sources.comparisons.break_even((chosen[0], against), chosen[1], chosen[2], window_rule)
        numbers = "For the numbers: wattmark table break-even --against SERVER."
        footnotes = (break_even.statement, *table.footnotes, numbers)
        return replace(table, footnotes=footnotes, statements=(break_even.statement, *table.statements, numbers))

    show(view(ask(data, question), columns, wide=wide), format, output)
