"""`wattmark results`: every run with its figures, to the screen or to a file."""

from __future__ import annotations

from wattmark.cli.options import DataDir
from wattmark.cli.output import json_text
from wattmark.cli.tables import FormatOption, OutputFile, WindowRule, ask, put, show
from wattmark.reports.tables import results_table


def results(
    data: DataDir = None,
    window_rule: WindowRule = "complete",
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
) -> None:
    """Print the results of all runs in a data folder."""
    found = ask(data, lambda queries: queries.results(window_rule))
    if format == "json":
        document = json_text({"results": [result.model_dump(mode="json") for result in found]})
        put(document.encode(), output)
    else:
        show(results_table(found), format, output)
