"""`wattmark report`: one HTML file with everything a reader needs to judge and repeat the runs."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from wattmark.cli.console.options import DataDir
from wattmark.cli.console.output_file import ends_as
from wattmark.cli.tables.shown import put_file
from wattmark.cli.tables.tables import ask
from wattmark.core.errors import InputError
from wattmark.reports.files.report_file import write_report
from wattmark.reports.report_data import report_of
from wattmark.reports.sources import Sources


def report(
    campaign: Annotated[str | None, typer.Option("--campaign", help="The runs of this campaign.")] = None,
    run: Annotated[list[str] | None, typer.Option("--run", help="This run; repeatable.")] = None,
    data: DataDir = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write to this file.", callback=ends_as("A report", "html", "htm")),
    ] = None,
) -> None:
    """Write the full disclosure of a campaign, of some runs, or of all, as one HTML file.

    If more than 1000 runs are selected without naming them, verdicts, budgets and disclosure cover the newest 1000.
    """
    if campaign is not None and run:
        raise InputError("A report covers one campaign or single runs, not both.", "Give --campaign or --run.")
    if output is None and sys.stdout.isatty():
        raise InputError("A report cannot be printed on a terminal.", "Write it to a file: -o report.html.")

    def write(sources: Sources) -> None:
        put_file(partial(write_report, report_of(sources, campaign, run or ())), output)

    ask(data, write)
