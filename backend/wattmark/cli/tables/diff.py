"""`wattmark diff`: what two runs, or two configurations, declare and disclose differently."""

from __future__ import annotations

from typing import Annotated

import typer

from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.tables.shown import FormatOption, OutputFile, file_format, put_json, show
from wattmark.cli.tables.tables import ask
from wattmark.comparison.compare.differences_table import differences_table

WHAT = "Id of a run, or SERVER/CONFIGURATION: its last run, of work that both did."


def diff(
    a: Annotated[str, typer.Argument(help=WHAT)],
    b: Annotated[str, typer.Argument(help=WHAT)],
    data: DataDir = None,
    as_json: AsJson = False,
    format: FormatOption = "table",  # noqa: A002
    output: OutputFile = None,
) -> None:
    """List what differs between two runs: what is declared, then load program, governor, turbo, kernel, firmware."""
    format = file_format(format, output, as_json=as_json)  # noqa: A001
    compared = ask(data, lambda sources: sources.comparisons.differences(a, b))
    if format == "json":
        put_json(compared, output)
    else:
        show(differences_table(compared), format, output)
