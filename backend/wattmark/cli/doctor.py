"""`wattmark doctor`: everything a support person would ask for, with a remedy each."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.text import Text

from wattmark.cli.options import AsJson, DataDir, data_dir
from wattmark.cli.output import emit_json
from wattmark.doctor.checks import Finding, examine

COLOURS = {"ok": "green", "warning": "yellow", "problem": "red"}


def doctor(data: DataDir = None, as_json: AsJson = False) -> None:
    """Examine this machine: programs, rights, clocks, disk, SQLite, web app. Exit code 1 when something is broken."""
    findings = examine(data_dir(data))
    if as_json:
        emit_json({"findings": [finding.as_dict() for finding in findings]})
    else:
        _print(findings)
    if any(finding.state == "problem" for finding in findings):
        raise typer.Exit(1)


def _print(findings: list[Finding]) -> None:
    out = Console(highlight=False, markup=False, soft_wrap=True)
    for finding in findings:
        out.print(Text(f"{finding.state:<7}", COLOURS[finding.state]), f" {finding.subject:<18} {finding.found}")
        if finding.remedy:
            out.print(f"{'':29}{finding.remedy}", style="dim")
