"""`wattmark scaling`: one configuration against its load levels."""

from __future__ import annotations

from typing import Annotated

import typer

from wattmark.appliance.queries import Queries
from wattmark.cli.options import DataDir
from wattmark.cli.output import console
from wattmark.cli.tables import FormatOption, OutputFile, Workload, ask, show
from wattmark.reports.scaling_table import scaling_table
from wattmark.reports.table import Table
from wattmark.results.defaults import choose_scaling
from wattmark.results.scaling import scaling_view


def scaling(
    configuration: Annotated[
        str | None,
        typer.Option("--configuration", help="Which one: server/configuration. Default: the one with most levels."),
    ] = None,
    threshold: Annotated[float | None, typer.Option("--from", help="Average the levels at or above this one.")] = None,
    workload: Workload = None,
    data: DataDir = None,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
) -> None:
    """Show throughput and performance per watt against the level: peak, knee, speed-up, scaling laws."""

    def question(queries: Queries) -> Table:
        found = queries.results()
        key, ran = choose_scaling(found, configuration, workload)
        if None in (configuration, workload):
            console().print(f"Shown: {key}, {ran}.", markup=False)
        return scaling_table(scaling_view(found, key, ran, threshold))

    show(ask(data, question), format, output)
