"""`wattmark memory`: watts against the number of DIMMs of one server."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from wattmark.appliance.queries import Queries
from wattmark.cli.options import DataDir
from wattmark.cli.output import console
from wattmark.cli.tables import FormatOption, LoadLevel, OutputFile, Workload, ask, show
from wattmark.reports.table import Table
from wattmark.results.break_even import break_even_statement
from wattmark.results.defaults import choose_memory


def memory(
    server: Annotated[
        str | None, typer.Option("--server", help="Which server. Default: the one with most DIMM counts.")
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", help="Another server: at how many DIMMs is its advantage gone?")
    ] = None,
    claim: Annotated[float, typer.Option("--claim", help="Watts per DIMM that somebody claims; tested.")] = 5.0,
    margin: Annotated[float, typer.Option("--margin", help="Equal to the claim within so many watts per DIMM.")] = 1.0,
    workload: Workload = None,
    level: LoadLevel = None,
    data: DataDir = None,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
) -> None:
    """Tell what a DIMM costs in watts, with its interval."""

    def question(queries: Queries) -> Table:
        chosen = choose_memory(queries.results(), server, workload, level)
        if None in (server, workload, level):
            console().print(f"Shown: {', '.join(chosen)}.", markup=False)
        table = queries.table("memory", server=chosen[0], workload=chosen[1], level=chosen[2], claim=(claim, margin))
        if against is None:
            return table
        statement = break_even_statement(queries.results(), (chosen[0], against), chosen[1], chosen[2])
        return replace(table, footnotes=(statement, *table.footnotes))

    show(ask(data, question), format, output)
