"""`wattmark doctor`: everything a support person would ask for, with a remedy each."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.text import Text

from wattmark.cli.console.options import AsJson, DataDir
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.plain_console import PlainConsole
from wattmark.cli.console.writing import unless_in_use
from wattmark.service.doctor.checks import examine
from wattmark.service.doctor.finding import Finding
from wattmark.service.doctor.left_settings import restore_settings
from wattmark.service.settings import read_settings

COLOURS = {"ok": "green", "warning": "yellow", "problem": "red"}


def doctor(
    data: DataDir = None,
    bench: Annotated[Path | None, typer.Option("--bench", help="Bench file to check. Default: WATTMARK_BENCH.")] = None,
    port: Annotated[int | None, typer.Option("--port", min=1, max=65535, help="Port of the service.")] = None,
    deep: Annotated[
        bool,
        typer.Option(
            "--deep",
            help="Also read all of a large database, and measure polls while viewers read.",
        ),
    ] = False,
    restore: Annotated[
        bool,
        typer.Option("--restore", help="First undo power settings that a run has left on a server."),
    ] = False,
    format: Annotated[Literal["text", "json"], typer.Option("--format", help="Output format.")] = "text",  # noqa: A002
    as_json: AsJson = False,
) -> None:
    """Examine programs, rights, clock, disk, data, backups and bench file. Exit code 1 when something is broken."""
    settings = read_settings(data, bench=bench, port=port)
    findings = []
    if restore:
        with unless_in_use("A running service undoes power settings by itself, within a minute"):
            findings += restore_settings(settings)
    findings += examine(settings, datetime.now(UTC), deep=deep)
    if as_json or format == "json":
        emit_json({"findings": [finding.as_dict() for finding in findings]})
    else:
        _print(findings)
    if any(finding.state == "problem" for finding in findings):
        raise typer.Exit(1)


def _print(findings: list[Finding]) -> None:
    out = PlainConsole(soft_wrap=True)
    for finding in findings:
        out.print(Text(f"{finding.state:<7}", COLOURS[finding.state]), f" {finding.subject:<18} {finding.found}")
        if finding.remedy:
            out.print(f"{'':29}{finding.remedy}", style="dim")
