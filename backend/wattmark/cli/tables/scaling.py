"""`wattmark scaling`: one configuration against its load levels."""

from __future__ import annotations

from typing import Annotated

import typer

from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.console.plain_console import console
from wattmark.cli.tables.shown import Columns, FormatOption, OutputFile, Wide, file_format, show, view
from wattmark.cli.tables.tables import FromLevel, WindowRule, Workload, ask, choose
from wattmark.comparison.compare.defaults import choose_scaling
from wattmark.reports.product_tables import product_table
from wattmark.reports.sources import Sources
from wattmark.tables.table import Table


def scaling(
    configuration: Annotated[
        str | None,
        typer.Option("--configuration", help="Server/configuration. Default: the one with the most levels."),
    ] = None,
    threshold: FromLevel = None,
    workload: Workload = None,
    wide: Wide = False,
    columns: Columns = "",
    window_rule: WindowRule = "complete",
    data: DataDir = None,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
    as_json: AsJson = False,
) -> None:
    """Show throughput and performance per watt against the level: peak, knee, speed-up, scaling laws."""
    format = file_format(format, output, as_json=as_json)  # noqa: A001
    query = choose(from_level=threshold, rule=window_rule)

    def question(sources: Sources) -> Table:
        key, ran = choose_scaling(sources.results.results(window_rule), configuration, workload)
        if None in (configuration, workload):
            console().print(f"Shown: {key}, {ran}.", markup=False)
        return product_table(sources, "scaling", query.model_copy(update={"configuration": key, "workload": ran}))

    show(view(ask(data, question), columns, wide=wide), format, output)
