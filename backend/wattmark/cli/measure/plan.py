"""`wattmark plan`: what a plan would do, before anything gets hot."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.bench.bench import Bench
from wattmark.bench.plan import Plan
from wattmark.campaigns.planning.earlier import no_runs
from wattmark.campaigns.planning.forecast import ForecastLab, Forecasts, forecast
from wattmark.campaigns.planning.forecast_views import Forecast
from wattmark.campaigns.planning.forecast_words import percent
from wattmark.campaigns.planning.view import PlannedRow, PlanView, plan_view
from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.stored import stored
from wattmark.cli.measure.run import choose_plan
from wattmark.instruments.instruments import build_meters, meter_records
from wattmark.instruments.known_bench import load_known_bench
from wattmark.results.issued.evaluations import Evaluations
from wattmark.traceability.certificates.register import CertificateRegister

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
    data: DataDir = None,
    power_w: Annotated[
        float | None,
        typer.Option("--power", min=1, help="Power to expect at full load [W]. Default: that of earlier runs."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the run table of a plan, its duration, the ± and differences to expect, and what is missing.

    Starts nothing. Power and scatter come from earlier runs in the data folder, where there are any.
    """
    bench = load_known_bench(file)
    chosen = bench.plan(choose_plan(name, [entry.name for entry in bench.plans], file))
    view, expected = plan_view(chosen, bench, time.time()), _forecast(chosen, bench, data, power_w)
    if as_json:
        emit_json({**view.model_dump(mode="json"), "forecast": expected})
    else:
        _print(view)
        _print_forecast(expected)
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
    by_chance = view.order in ("random-blocks", "random")
    order = f"{view.order}, seed {view.seed}" if by_chance else view.order
    typer.echo(f"\nPlan {view.plan}: {len(view.rows)} runs, order {order}.")
    longest = f", at most {duration(view.at_most_s)}" if view.at_most_s > view.expected_s else ""
    typer.echo(
        f"Duration {duration(view.expected_s)}{longest}; started now, it ends at {end}, not counting preparation."
    )
    for excluded in view.excluded:
        typer.echo(f"excluded: {excluded}")
    for problem in view.missing:
        typer.echo(f"missing: {problem}", err=True)


def _forecast(plan: Plan, bench: Bench, data: Path | None, power_w: float | None) -> Forecast:
    meters = build_meters(bench, SystemClock())
    records = partial(meter_records, bench, meters)
    folder = data_dir(data)
    if not (folder / "wattmark.db").is_file():
        return forecast(plan, bench, ForecastLab(records, no_runs, CertificateRegister(), time.time_ns()), power_w)
    with stored(data, "are no runs") as storage:
        return Forecasts(records, Evaluations(storage), SystemClock()).of(plan, bench, power_w)


def _print_forecast(expected: Forecast) -> None:
    for row in expected.rows:
        typer.echo(f"\n{row.server}, {row.workload}: {row.summary}")
        first = row.repeats[0]
        if first.u95_pct is not None:
            typer.echo(f"  ± of one configuration after {first.repeats} repeats: {percent(first.u95_pct)}")
        for line in (*row.basis, *row.limits):
            typer.echo(f"  {line}")
    for line in expected.between_servers:
        typer.echo(f"\n{line}")


def _cells(row: PlannedRow) -> tuple[str, ...]:
    begin = "-" if row.begin_s is None else f"+{duration(row.begin_s)}"
    place = f"{row.server}/{row.configuration}"
    return str(row.order + 1), begin, place, row.workload, row.level, f"repeat {row.repeat}"


def duration(seconds: float) -> str:
    """Write a duration as h:mm:ss."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
