"""`wattmark bench`: check a bench file before anything gets hot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wattmark.bench.bench import Bench
from wattmark.bench.feeds import unnamed_supplies
from wattmark.bench.schema import bench_schema
from wattmark.bench.yaml_source import read_yaml
from wattmark.campaigns.planning.plan import expand
from wattmark.campaigns.planning.view import plan_out
from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json
from wattmark.instruments.entries import own_port_remarks, renumbered_port_remarks, uncovered_remarks
from wattmark.instruments.known_bench import check_bench

app = typer.Typer(no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Check a bench file."""


@app.command("check")
def check(file: Annotated[Path, typer.Argument(help="The bench file (YAML).")], as_json: AsJson = False) -> None:
    """Check a bench file. Every error names file, line, what was found and what is allowed."""
    bench = check_bench(read_yaml(file), file)
    counts = _counts(bench)
    warnings = [f"Plan {plan.name}: {problem}" for plan in bench.plans if (problem := plan_out(plan, bench).problem)]
    asked = [text for s in bench.servers for c in s.configurations for text in unnamed_supplies(bench, s, c)]
    warnings += [text for text in dict.fromkeys(asked) if not any(text in warning for warning in warnings)]
    warnings += uncovered_remarks(bench) + renumbered_port_remarks(bench)
    warnings += own_port_remarks(bench, _own_port()) if bench.speak else []
    if as_json:
        emit_json({"file": str(file), "valid": True, **counts, "warnings": warnings})
        return
    typer.echo(f"{file}: valid. " + ", ".join(_counted(noun, number) for noun, number in counts.items()) + ".")
    for warning in warnings:
        typer.echo(f"warning: {warning}", err=True)


@app.command("schema")
def schema() -> None:
    """Print the JSON Schema of the bench file, for editors that validate and complete YAML."""
    emit_json(bench_schema())


def _own_port() -> int:
    """Return the port that a service started here takes; few benches need what this imports."""
    from wattmark.service.settings import read_settings

    return read_settings(None).port


def _counted(nouns: str, number: int) -> str:
    noun = nouns if number != 1 else nouns.removesuffix("s")
    return f"{number} {noun.replace('bmc', 'BMC')}"


def _counts(bench: Bench) -> dict[str, int]:
    return {
        "servers": len(bench.servers),
        "configurations": sum(len(server.configurations) for server in bench.servers),
        "meters": len(bench.meters),
        "bmcs": len(bench.bmcs),
        "plans": len(bench.plans),
        "runs": sum(len(expand(plan, bench)) for plan in bench.plans),
    }
