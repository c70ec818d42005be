"""`wattmark measure`: one command, measured on this machine, without a plan."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlencode

import typer
from wattmark_drivers.errors import DriverError

from wattmark.cli.console.amounts import share
from wattmark.cli.console.options import DataDir, data_dir
from wattmark.cli.console.output import emit_json, error_document, fail
from wattmark.cli.console.own_environment import callers_environment
from wattmark.cli.console.plain_console import console
from wattmark.cli.measure import measuring
from wattmark.cli.measure.measuring import Source, measure_series, order_of, print_figures, words
from wattmark.cli.meter.target import PasswordEnv, PasswordFile, User
from wattmark.cli.result_json import result_json
from wattmark.comparison.compare.views import CompareOut
from wattmark.core.errors import InputError, WattmarkError
from wattmark.measurements.command import NotStarted
from wattmark.measurements.measurement import CONFIGURATION, Order
from wattmark.measurements.screen import Figures
from wattmark.measurements.series import USUAL_BLOCKS, BrokenOff, Series
from wattmark.measurements.variants import Variant, is_decided, read_variants

_NOT_RUN = 125
"""Exit status where the command was not started, as of env(1) and timeout(1)."""
MOST_BLOCKS = 1000


def measure(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- COMMAND...", help="The command, as you would run it.")
    ] = None,
    meter: measuring.Meters = None,
    ops: measuring.Ops = None,
    work: measuring.Work = None,
    unit: measuring.Unit = "operations",
    repeat: Annotated[
        int | None,
        typer.Option("--repeat", help="How often to run it. Default: 1; with variants at most 10."),
    ] = None,
    compare: measuring.Compared = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "--parameter", metavar="NAME=VALUES", help="Compare the values of {NAME} in the command: threads=1,2,4."
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="PCT", help="Repeat until a difference of so much is shown or excluded: 2%."),
    ] = None,
    prepare: measuring.Prepare = None,
    idle: measuring.Idle = "0",
    name: measuring.Name = None,
    configuration: Annotated[
        str, typer.Option("--configuration", help="Name of what is measured, to compare it with another.")
    ] = CONFIGURATION,
    bench: measuring.BenchFile = None,
    user: User = None,
    password_file: PasswordFile = None,
    password_env: PasswordEnv = None,
    data: DataDir = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document; what the command prints goes to standard error.")
    ] = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print a table of the runs; what the command prints goes to standard error.")
    ] = False,
    output: measuring.Output = None,
    show: Annotated[
        bool, typer.Option("--open", help="Then serve the web app and open the figures in a browser, until Ctrl-C.")
    ] = False,
) -> None:
    """Measure the power and energy of a command while it runs, and its work per joule where work is counted.

    The command runs as it would without: same terminal, environment and exit status, which is also that of wattmark.
    Its runs are stored, and shown by the web app.
    """
    broken: BrokenOff | None = None
    try:
        if as_json and as_csv:
            raise InputError("Both --json and --csv are given.", "Give one of them.")
        variants = read_variants(command or (), compare or (), parameter or ())
        if len(variants) > 1 and configuration != CONFIGURATION:
            raise InputError("--configuration names one, and variants are named by themselves.", "Leave it out.")
        order = order_of(
            variants[0].argv,
            ops,
            work,
            unit,
            idle,
            name,
            configuration,
            to_stderr=as_json or as_csv,
            is_compared=len(variants) > 1,
        )
        series = _series(order, variants, repeat, until, prepare)
        source = Source(tuple(meter or ()), bench, user, password_file, password_env)
        outcome = measure_series(series, source, data_dir(data), output, print_figures)
    except BrokenOff as error:
        broken, outcome = error, error.outcome
    except (WattmarkError, DriverError) as error:
        status = error.exit_code if isinstance(error, NotStarted) else _NOT_RUN
        raise typer.Exit(fail(error.cause, error.remedy, status, as_json=as_json)) from None
    if broken is not None:
        fail(broken.cause, broken.remedy, broken.exit_code, as_json=False)
    status = broken.exit_code if broken is not None else outcome.status
    if as_json:
        error_part = {"error": error_document(broken.cause, broken.remedy, status)} if broken else {}
        emit_json({"runs": [_document(run) for run in outcome.runs], "comparison": outcome.comparison} | error_part)
    if as_csv:
        _print_csv(outcome.runs)
    if outcome.comparison is not None:
        _print_comparison(outcome.comparison)
    if show and outcome.runs:
        _serve_and_open(data_dir(data), outcome.runs)
    raise typer.Exit(status)


def _series(
    order: Order, variants: Sequence[Variant], repeat: int | None, until: str | None, prepare: str | None
) -> Series:
    if repeat is not None and not 1 <= repeat <= MOST_BLOCKS:
        raise InputError(f"--repeat {repeat} is not a number from 1 to {MOST_BLOCKS}.", "Give such a number.")
    series = Series(order, variants, repeat or (USUAL_BLOCKS if len(variants) > 1 else 1), prepare=words(prepare))
    if until is None:
        return series
    margin = share("--until", until)
    if margin == 0:
        raise InputError("--until 0% is never decided.", "Give the smallest difference that matters, such as 2%.")
    if len(variants) == 1:
        raise InputError("--until compares, and there is one command.", "Add variants by --compare or --parameter.")
    return replace(series, margin=margin, is_decided=lambda results: is_decided(results, variants, margin))


def _serve_and_open(folder: Path, runs: Sequence[Figures]) -> None:
    """Become `wattmark serve` with the page of the run, or of the comparison of several."""
    result = runs[0].result
    place = urlencode({"workload": result.workload, "level": result.level}, quote_via=quote)
    page = f"runs/{result.run_id}" if len(runs) == 1 else f"compare?{place}"
    argv = [sys.argv[0], "serve", "--data", str(folder), "--port", "0", "--open", page]
    os.execve(argv[0], argv, callers_environment())  # noqa: S606 - the program that runs already


def _print_comparison(comparison: CompareOut) -> None:
    out = console()
    out.print(comparison.statement)
    for pair in comparison.pairs:
        out.print(f"  {pair.verdict}")


def _document(figures: Figures) -> dict[str, Any]:
    measured = figures.measured
    return {
        "duration_s": measured.duration_s,
        "exit_status": measured.status,
        "signal": measured.signal,
        "instead_of_wall": figures.instead or None,
        "peak_w": figures.trace.peak_w if figures.trace else None,
        "problem": measured.problem,
        "result": result_json(figures.result),
    }


def _print_csv(runs: Sequence[Figures]) -> None:
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for figures in runs:
        result, measured = figures.result, figures.measured
        quantities = (result.power, result.energy, result.throughput, result.efficiency)
        cells = [cell for q in quantities for cell in ((None, None) if q is None else (q.value, q.U95))]
        rows.writerow(
            [result.run_id, result.configuration, measured.duration_s, measured.status, *cells, figures.instead or None]
        )


_COLUMNS = (
    *("run", "configuration", "duration_s", "exit_status", "power_w", "power_U95_w", "energy_j", "energy_U95_j"),
    *("throughput_per_s", "throughput_U95_per_s", "efficiency_per_j", "efficiency_U95_per_j"),
    "instead_of_wall",
)
