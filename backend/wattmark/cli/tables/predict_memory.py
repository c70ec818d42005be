"""`wattmark predict-memory`: what ways of populating a server with memory would draw."""

from __future__ import annotations

from typing import Annotated

import typer

from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.tables.shown import Columns, FormatOption, OutputFile, Wide, file_format, show, view
from wattmark.cli.tables.tables import ask, choose
from wattmark.comparison.memory.module_words import FORM, FULL_FORM
from wattmark.comparison.memory.yearly_cost import HOURS_A_YEAR
from wattmark.reports.product_tables import product_table


def predict_memory(
    ways: Annotated[
        list[str], typer.Argument(help=f"Ways of populating a server, such as '{FORM}', or in full '{FULL_FORM}'.")
    ],
    modules: Annotated[
        str | None, typer.Option("--modules", help="Kind of modules of ways that name none. Default: the commonest.")
    ] = None,
    tariff: Annotated[float | None, typer.Option("--tariff", help="Price of a kilowatt-hour.")] = None,
    currency: Annotated[str, typer.Option("--currency", help="Its currency.")] = "EUR",
    hours: Annotated[float, typer.Option("--hours", help="Hours a year at this level.")] = HOURS_A_YEAR,
    level: Annotated[
        str | None, typer.Option("--level", help="Load level, such as '100 %'. Default: active idle.")
    ] = None,
    workload: Annotated[
        str | None, typer.Option("--workload", help="Workload of the level; active idle needs none.")
    ] = None,
    wide: Wide = False,
    columns: Columns = "",
    data: DataDir = None,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """Tell which way of populating a server draws less, with intervals, from own and published servers."""
    format = file_format(format, output, as_json=as_json)  # noqa: A001
    query = choose(
        ways=";".join(ways),
        modules=modules,
        tariff_per_kwh=tariff,
        currency=currency,
        hours=hours,
        level=level,
        workload=workload,
    )
    table = ask(data, lambda sources: product_table(sources, "memory-predicted", query))
    show(view(table, columns, wide=wide), format, output)
