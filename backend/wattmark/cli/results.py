"""`wattmark results`: every run with its figures, to the screen or to a file."""

from __future__ import annotations

from functools import partial

from wattmark.appliance.queries import Queries
from wattmark.cli.options import DataDir
from wattmark.cli.tables import FormatOption, OutputFile, WindowRule, ask, put_file, show
from wattmark.reports.json_file import write_document
from wattmark.reports.tables import results_table


def results(
    data: DataDir = None,
    window_rule: WindowRule = "complete",
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
) -> None:
    """Print the results of all runs in a data folder."""

    def write_json(queries: Queries) -> None:
        results = (result.model_dump(mode="json") for _, result in queries.each(rule=window_rule))
        put_file(partial(write_document, before={}, name="results", items=results, after={}), output)

    if format == "json":
        ask(data, write_json)
    else:
        table = ask(data, lambda queries: results_table(result for _, result in queries.each(rule=window_rule)))
        show(table, format, output)
