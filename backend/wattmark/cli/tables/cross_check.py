"""`wattmark cross-check`: every source of power of a run against its wall meter."""

from __future__ import annotations

from typing import Annotated

import typer

from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.tables.shown import FormatOption, OutputFile, file_format, show
from wattmark.cli.tables.tables import WindowRule, ask, choose
from wattmark.reports.product_tables import product_table
from wattmark.reports.sources import Sources
from wattmark.tables.table import Table


def cross_check(
    run: Annotated[str, typer.Argument(help="Id of the run.")],
    window_rule: WindowRule = "complete",
    data: DataDir = None,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """Compare PDU, supplies, BMC, RAPL and GPUs of a run with its wall meter. Exit code 1 where one disagrees."""
    format = file_format(format, output, as_json=as_json)  # noqa: A001
    query = choose(run_id=run, rule=window_rule)

    def question(sources: Sources) -> Table:
        return product_table(sources, "cross-check", query)

    table = ask(data, question)
    show(table, format, output)
    if any(row[table.position("outcome")] == "fail" for row in table.rows):
        raise typer.Exit(1)
