"""`wattmark results`: every run with its figures, to the screen or to a file."""

from __future__ import annotations

from functools import partial

from wattmark.cli.console.options import DataDir
from wattmark.cli.flat_json import flat
from wattmark.cli.tables.tables import FormatOption, OutputFile, WindowRule, ask, put_file, show
from wattmark.reports.files.json_file import write_document
from wattmark.reports.sources import Sources
from wattmark.reports.tables.tables import results_table


def results(
    data: DataDir = None,
    window_rule: WindowRule = "complete",
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
) -> None:
    """Print the results of all runs in a data folder."""

    def write_json(sources: Sources) -> None:
        results = (flat(result) for _, result in sources.results.each(rule=window_rule))
        put_file(partial(write_document, before={}, name="results", items=results, after={}), output)

    if format == "json":
        ask(data, write_json)
    else:
        table = ask(data, lambda sources: results_table(result for _, result in sources.results.each(rule=window_rule)))
        show(table, format, output)
