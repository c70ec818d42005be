"""`wattmark plan`: what a plan would do, before anything gets hot."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from wattmark.campaigns.planning.view import PlannedRow, PlanView, plan_view
from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json
from wattmark.cli.measure.run import choose_plan
from wattmark.instruments.known_bench import load_known_bench

app = typer.Typer(no_args_is_help=True)
MOST_ROWS = 200


@app.callback()
def plan() -> None:
    """Show what a plan would do."""


@app.command("show")
def show(
    file: Annotated[Path, typer.Argument(help="The bench file (YAML).")],
    name: Annotated[
        str | None, typer.Option("--plan", help="Name of the plan; required if the file has several.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the run table of a plan, its duration, its excluded runs and what is missing. Starts nothing."""
    bench = load_known_bench(file)
    chosen = bench.plan(choose_plan(name, [entry.name for entry in bench.plans], file))
    view = plan_view(chosen, bench, time.time())
    if as_json:
        emit_json(view.model_dump(mode="json"))
    else:
        _print(view)
    if view.missing:
        raise typer.Exit(1)


def _print(view: PlanView) -> None:
    widths = [max((len(cells[i]) for cells in map(_cells, view.rows)), default=0) for i in range(6)]
    for row in view.rows[:MOST_ROWS]:
        cells = "  ".join(cell.ljust(width) for cell, width in zip(_cells(row), widths, strict=True))
        typer.echo(f"{cells}  {row.remark}".rstrip())
    if len(view.rows) > MOST_ROWS:
        typer.echo(f"... and {len(view.rows) - MOST_ROWS} more; --json prints all.")
    end = datetime.fromtimestamp(view.expected_end_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
    order = view.order if view.order == "as-listed" else f"{view.order}, seed {view.seed}"
    typer.echo(f"\nPlan {view.plan}: {len(view.rows)} runs, order {order}.")
    longest = f", at most {duration(view.at_most_s)}" if view.at_most_s > view.expected_s else ""
    typer.echo(
        f"Duration {duration(view.expected_s)}{longest}; started now, it ends at {end}, not counting preparation."
    )
    for excluded in view.excluded:
        typer.echo(f"excluded: {excluded}")
    for problem in view.missing:
        typer.echo(f"missing: {problem}", err=True)


def _cells(row: PlannedRow) -> tuple[str, ...]:
    begin = "-" if row.begin_s is None else f"+{duration(row.begin_s)}"
    place = f"{row.server}/{row.configuration}"
    return str(row.order + 1), begin, place, row.workload, row.level, f"repeat {row.repeat}"


def duration(seconds: float) -> str:
    """Write a duration as h:mm:ss."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
