"""`wattmark bench`: check a bench file before anything gets hot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wattmark.appliance.bench import load_known_bench
from wattmark.appliance.instruments import check_meter_lines, uncovered_remarks
from wattmark.campaigns.plan import expand, plan_out
from wattmark.cli.options import AsJson
from wattmark.cli.output import emit_json
from wattmark.inventory.bench import Bench
from wattmark.inventory.schema import bench_schema

app = typer.Typer(no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Check a bench file."""


@app.command("check")
def check(file: Annotated[Path, typer.Argument(help="The bench file (YAML).")], as_json: AsJson = False) -> None:
    """Check a bench file: every error names file, line, what was found and what is allowed."""
    found = load_known_bench(file)
    check_meter_lines(found)
    counts = _counts(found)
    warnings = [f"Plan {plan.name}: {problem}" for plan in found.plans if (problem := plan_out(plan, found).problem)]
    warnings += uncovered_remarks(found)
    if as_json:
        emit_json({"file": str(file), "valid": True, **counts, "warnings": warnings})
        return
    typer.echo(f"{file}: valid. " + ", ".join(f"{number} {what}" for what, number in counts.items()) + ".")
    for warning in warnings:
        typer.echo(f"warning: {warning}", err=True)


@app.command("schema")
def schema() -> None:
    """Print the JSON Schema of the bench file, for editors that complete and check while typing."""
    emit_json(bench_schema())


def _counts(found: Bench) -> dict[str, int]:
    return {
        "servers": len(found.servers),
        "configurations": sum(len(server.configurations) for server in found.servers),
        "meters": len(found.meters),
        "bmcs": len(found.bmcs),
        "plans": len(found.plans),
        "runs": sum(len(expand(plan, found)) for plan in found.plans),
    }
