"""`wattmark measure`: one command, measured on this machine, without a plan."""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.errors import DriverError
from wattmark_drivers.meter_url import parse_meter_url

from wattmark.archives.data_folder import Archives
from wattmark.archives.signature import KEY_FILE, load_signing_key
from wattmark.bench.bench import Bench
from wattmark.cli.console.amounts import seconds, share
from wattmark.cli.console.options import DataDir, data_dir
from wattmark.cli.console.output import emit_json, fail
from wattmark.cli.console.own_environment import callers_environment
from wattmark.cli.console.plain_console import console
from wattmark.cli.console.writing import open_to_write
from wattmark.cli.meter.target import PasswordEnv, PasswordFile, User, password_of
from wattmark.cli.result_json import result_json
from wattmark.comparison.compare.views import CompareOut
from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.whole_file import whole_file
from wattmark.instruments.known_bench import OWN_BENCH, load_known_bench
from wattmark.measurements.choice import ReadUrl, choose
from wattmark.measurements.command import NotStarted
from wattmark.measurements.measurement import CONFIGURATION, Order, name_of
from wattmark.measurements.screen import Figures
from wattmark.measurements.series import USUAL_BLOCKS, Outcome, Series, run_series
from wattmark.measurements.variants import read_variants
from wattmark.measurements.work_count import PrintedWork, read_pattern
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.service.measuring import measuring_lab
from wattmark.service.process.event_loop import run_loop

_NOT_RUN = 125
"""Exit status where the command was not run, as of env(1) and timeout(1)."""


def measure(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- COMMAND...", help="The command, as you would run it.")
    ] = None,
    meter: Annotated[
        list[str] | None,
        typer.Option(
            "--meter",
            metavar="URL|NAME",
            help="A meter of this machine; repeatable. Default: those of the bench, else RAPL.",
        ),
    ] = None,
    ops: Annotated[float | None, typer.Option("--ops", min=0, help="Work that the command does, as a number.")] = None,
    work: Annotated[
        str | None,
        typer.Option(
            "--work", metavar="PATTERN", help="Pattern of the line that prints the work done: 'requests: ([0-9]+)'."
        ),
    ] = None,
    unit: Annotated[str, typer.Option("--unit", help="What is counted.")] = "operations",
    repeat: Annotated[
        int | None,
        typer.Option("--repeat", min=1, max=1000, help="How often to run it. Default: 1; with variants at most 10."),
    ] = None,
    compare: Annotated[
        list[str] | None,
        typer.Option("--compare", metavar="COMMAND", help="A command line to compare with others; repeatable."),
    ] = None,
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
    prepare: Annotated[
        str | None, typer.Option("--prepare", metavar="COMMAND", help="Run before each run, and not measured.")
    ] = None,
    idle: Annotated[
        str, typer.Option("--idle", metavar="TIME", help="Record the idle machine first: 10s, 2min.")
    ] = "0",
    name: Annotated[str | None, typer.Option("--name", help="Name of the workload in results.")] = None,
    configuration: Annotated[
        str, typer.Option("--configuration", help="Name of what is measured, to compare it with another.")
    ] = CONFIGURATION,
    bench: Annotated[
        Path | None, typer.Option("--bench", envvar="WATTMARK_BENCH", help="Bench file with the meters.")
    ] = None,
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
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the runs to an archive, such as run.wattmark.")
    ] = None,
) -> None:
    """Measure the power and energy of a command while it runs, and its work per joule where work is counted.

    The command runs as it would without: same terminal, environment and exit status, which is also that of wattmark.
    Its runs are stored, and shown by the web app.
    """
    if as_json and as_csv:
        raise InputError("Both --json and --csv are given.", "Give one of them.")
    try:
        margin = None if until is None else share("--until", until)
        if margin == 0:
            raise InputError("--until 0% is never decided.", "Give the smallest difference that matters, such as 2%.")
        variants = read_variants(command or (), compare or (), parameter or ())
        order = _order(variants[0].argv, ops, work, unit, idle, name, configuration, to_stderr=as_json or as_csv)
        if len(variants) > 1 and order.operations is None and order.printed is None:
            order = replace(order, operations=1.0, unit="runs")
        blocks = repeat or (USUAL_BLOCKS if len(variants) > 1 or margin is not None else 1)
        series = Series(order, variants, blocks, margin, _words(prepare))
        password = password_of(user, password_file, password_env)
        read_url = partial(parse_meter_url, username=user, password=password)
        outcome = _run(_Task(series, tuple(meter or ()), bench, read_url), data_dir(data), output)
    except (WattmarkError, DriverError) as error:
        status = error.exit_code if isinstance(error, NotStarted) else _NOT_RUN
        raise typer.Exit(fail(error.cause, error.remedy, status, as_json=as_json)) from None
    if as_json:
        emit_json({"runs": [_document(figures) for figures in outcome.runs], "comparison": outcome.comparison})
    if as_csv:
        _print_csv(outcome.runs)
    if outcome.comparison is not None:
        _print_comparison(outcome.comparison)
    if status := outcome.runs[-1].measured.ended.status:
        raise typer.Exit(status)


def _order(
    argv: tuple[str, ...],
    ops: float | None,
    work: str | None,
    unit: str,
    idle: str,
    name: str | None,
    configuration: str,
    *,
    to_stderr: bool,
) -> Order:
    """Check what is to be measured. Raises `InputError`."""
    if not argv:
        raise InputError("There is no command to measure.", "Write it behind --, as in: wattmark measure -- make.")
    if ops is not None and work is not None:
        raise InputError("Both --ops and --work are given.", "Give one of them.")
    pattern = None if work is None else read_pattern(work)
    return Order(
        argv=argv,
        name=name or name_of(argv),
        environment=callers_environment(),
        unit=unit,
        operations=ops,
        printed=None if pattern is None else partial(PrintedWork, pattern),
        configuration=configuration,
        idle_s=seconds(idle),
        to_stderr=to_stderr,
    )


@dataclass(frozen=True, slots=True)
class _Task:
    series: Series
    targets: Sequence[str]
    bench: Path | None
    read_url: ReadUrl


def _run(task: _Task, folder: Path, output: Path | None) -> Outcome:
    bench = _bench(task.bench, folder)
    storage = open_to_write(folder, "Measure into another folder (--data DIR), or run a plan at {address}/campaign")
    try:
        outcome = run_loop(_measure(task, bench, storage))
        if output is not None:
            _write_archive(output, storage, folder, outcome.runs)
            console().print(f"{output}: {len(outcome.runs)} runs.")
        return outcome
    finally:
        storage.close()


async def _measure(task: _Task, bench: Bench | None, storage: Storage) -> Outcome:
    clock, out = SystemClock(), console()
    machine = await choose(task.targets, bench, task.read_url, clock)
    for remark in machine.remarks:
        out.print(remark)
    async with measuring_lab(storage, machine, clock) as lab:
        return await run_series(task.series, lab, storage.samples, random.Random(), out.print, _print)  # noqa: S311


def _words(line: str | None) -> tuple[str, ...]:
    """Read a command line; none where there is none. Raises `InputError`."""
    return () if line is None else read_variants((), [line], ())[0].argv


def _bench(file: Path | None, folder: Path) -> Bench | None:
    """Read the bench that was named, or the one in the data folder; None where there is none."""
    if file is None and not (folder / OWN_BENCH).exists():
        return None
    return load_known_bench(file or folder / OWN_BENCH)


def _print(figures: Figures) -> None:
    out, lines = console(), figures.lines
    if figures.result.configuration != CONFIGURATION:
        out.print(figures.result.configuration, style="bold")
    width = max(len(head) for head, _ in lines)
    for head, value in lines:
        out.print(f"  {head:<{width}}  {value}")
    for remark in figures.remarks:
        out.print(f"  {remark}", style="dim")
    out.print(f"  Stored as run {figures.result.run_id}.", style="dim")


def _print_comparison(comparison: CompareOut) -> None:
    out = console()
    out.print(comparison.statement)
    for pair in comparison.pairs:
        out.print(f"  {pair.verdict}")


def _document(figures: Figures) -> dict[str, Any]:
    ended = figures.measured.ended
    return {
        "duration_s": figures.duration_s,
        "exit_status": ended.status,
        "signal": ended.signal,
        "instead_of_wall": figures.instead or None,
        "peak_w": figures.trace.peak_w if figures.trace else None,
        "problem": figures.measured.problem,
        "result": result_json(figures.result),
    }


def _print_csv(runs: Sequence[Figures]) -> None:
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for figures in runs:
        result, ended = figures.result, figures.measured.ended
        quantities = (result.power, result.energy, result.throughput, result.efficiency)
        cells = [cell for q in quantities for cell in ((None, None) if q is None else (q.value, q.U95))]
        rows.writerow([result.run_id, figures.duration_s, ended.status, *cells])


_COLUMNS = (
    *("run", "duration_s", "exit_status", "power_w", "power_U95_w", "energy_j", "energy_U95_j"),
    *("throughput_per_s", "throughput_U95_per_s", "efficiency_per_j", "efficiency_U95_per_j"),
)


def _write_archive(output: Path, storage: Storage, folder: Path, runs: Sequence[Figures]) -> None:
    results = Evaluations(storage)
    issuer = Issuer(storage, results, SystemClock())
    archives = Archives(storage, results, issuer, signing_key=load_signing_key(folder / KEY_FILE))
    with whole_file(output) as file:
        archives.write(file, runs=[figures.measured.record for figures in runs])
