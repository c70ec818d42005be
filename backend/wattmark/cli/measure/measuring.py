"""What the commands that measure a program share: their options, and the run of a series from bench to store."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.meter_url import parse_meter_url

from wattmark.archives.data_folder import Archives
from wattmark.archives.signature import KEY_FILE, load_signing_key
from wattmark.bench.bench import Bench
from wattmark.cli.console.amounts import seconds
from wattmark.cli.console.output_file import ARCHIVE_FILE, ends_as
from wattmark.cli.console.own_environment import callers_environment
from wattmark.cli.console.plain_console import console
from wattmark.cli.console.writing import open_to_write
from wattmark.cli.meter.target import password_of
from wattmark.core.amounts import problem
from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.event_loop import run_loop
from wattmark.core.whole_file import require_writable, whole_file
from wattmark.measurements.choice import choose
from wattmark.measurements.measurement import CONFIGURATION, Order
from wattmark.measurements.names import name_of, require_name
from wattmark.measurements.screen import Figures
from wattmark.measurements.series import BrokenOff, Outcome, Series, run_series
from wattmark.measurements.variants import read_variants
from wattmark.measurements.work_count import PrintedWork, read_pattern
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.service.measuring import measuring_bench, measuring_lab

Meters = Annotated[
    list[str] | None,
    typer.Option(
        "--meter",
        metavar="URL|NAME",
        help="A meter of this machine; repeatable. Default: those of the bench, else RAPL.",
    ),
]
Ops = Annotated[float | None, typer.Option("--ops", help="Work that the command does, as a number.")]
Work = Annotated[
    str | None,
    typer.Option(
        "--work",
        metavar="PATTERN",
        help="Pattern of the line that prints the work done: 'requests: ([0-9]+)'. A pager such as less gets no keys.",
    ),
]
Unit = Annotated[str, typer.Option("--unit", help="What is counted.")]
Compared = Annotated[
    list[str] | None,
    typer.Option("--compare", metavar="COMMAND", help="A command line to compare with others; repeatable."),
]
Prepare = Annotated[
    str | None, typer.Option("--prepare", metavar="COMMAND", help="Run before each run, and not measured.")
]
Idle = Annotated[str, typer.Option("--idle", metavar="TIME", help="Record the idle machine first: 10s, 2min.")]
Name = Annotated[str | None, typer.Option("--name", help="Name of the workload in results.")]
BenchFile = Annotated[Path | None, typer.Option("--bench", envvar="WATTMARK_BENCH", help="Bench file with the meters.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        help="Write the runs to an archive, such as run.wattmark.",
        callback=ends_as(*ARCHIVE_FILE),
    ),
]


@dataclass(frozen=True, slots=True)
class Source:
    """Where the watts come from: meters, the bench that may name them, and the log-in of meters by URL."""

    meters: Sequence[str] = ()
    bench: Path | None = None
    user: str | None = None
    password_file: Path | None = None
    password_env: str | None = None


def order_of(
    argv: tuple[str, ...],
    ops: float | None,
    work: str | None,
    unit: str,
    idle: str,
    name: str | None,
    configuration: str = CONFIGURATION,
    *,
    to_stderr: bool,
    is_compared: bool,
) -> Order:
    """Check what is to be measured; a run is the unit of work of what is compared without one. Raises `InputError`."""
    if not argv:
        raise InputError("There is no command to measure.", "Write it behind --, as in: wattmark measure -- make.")
    if ops is not None and work is not None:
        raise InputError("Both --ops and --work are given.", "Give one of them.")
    if ops is not None and (why := "is no work" if not ops else problem(ops)):
        raise InputError(f"--ops {ops:g} {why}.", "Give the work that one run of the command does.")
    for option, text in (("--unit", unit), ("--name", name), ("--configuration", configuration)):
        if text is not None:
            require_name(option, text)
    if is_compared and ops is None and work is None:
        ops, unit = 1.0, "runs"
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


def words(line: str | None) -> tuple[str, ...]:
    """Read a command line; none where there is none. Raises `InputError`."""
    return () if line is None else read_variants((), [line], ())[0].argv


def measure_series(
    series: Series, source: Source, folder: Path, output: Path | None, show: Callable[[Figures], None]
) -> Outcome:
    """Run a series with the meters of a source, and keep its runs in a data folder, and in an archive if asked for.

    Raises `WattmarkError` and `DriverError` where nothing can be measured, and `BrokenOff` as `run_series` does. An
    archive that cannot be written is told, and changes nothing else.
    """
    if output is not None:
        try:
            require_writable(output)
        except OSError as error:
            raise InputError(f"Cannot write {output}: {error.strerror}.", "Choose another file with -o.") from error
    bench = measuring_bench(source.bench, folder)
    storage = open_to_write(
        folder, "Measure on it (wattmark mark begin NAME --url {address}), or into another folder (--data DIR)"
    )
    try:
        try:
            outcome = run_loop(_measure(series, source, bench, storage, show))
        except BrokenOff as error:
            _keep_archive(output, storage, folder, error.outcome.runs)
            raise
        _keep_archive(output, storage, folder, outcome.runs)
        return outcome
    finally:
        storage.close()


async def _measure(
    series: Series, source: Source, bench: Bench | None, storage: Storage, show: Callable[[Figures], None]
) -> Outcome:
    clock, out = SystemClock(), console()
    password = password_of(source.user, source.password_file, source.password_env)
    machine = await choose(
        source.meters, bench, partial(parse_meter_url, username=source.user, password=password), clock
    )
    for remark in machine.remarks:
        out.print(remark)
    async with measuring_lab(storage, machine, clock) as lab:
        return await run_series(series, lab, random.Random(), out.print, show)  # noqa: S311


def print_figures(figures: Figures) -> None:
    """Print the screen of one run."""
    out, lines = console(), figures.lines
    if figures.result.configuration != CONFIGURATION:
        out.print(figures.result.configuration, style="bold")
    width = max(len(head) for head, _ in lines)
    for head, value in lines:
        out.print(f"  {head:<{width}}  {value}")
    for remark in figures.remarks:
        out.print(f"  {remark}", style="dim")
    out.print(f"  Stored as run {figures.result.run_id}.", style="dim")


def _keep_archive(output: Path | None, storage: Storage, folder: Path, runs: Sequence[Figures]) -> None:
    """Write the runs to an archive if one is asked for; the runs are stored all the same where that fails."""
    if output is None or not runs:
        return
    results = Evaluations(storage)
    issuer = Issuer(storage, results, SystemClock())
    try:
        archives = Archives(storage, results, issuer, signing_key=load_signing_key(folder / KEY_FILE))
        with whole_file(output) as file:
            archives.write(file, runs=[figures.measured.record for figures in runs])
    except (OSError, WattmarkError) as error:
        reason = (error.strerror or str(error)) + "." if isinstance(error, OSError) else str(error)
        console().print(f"{output} was not written: {reason} The runs are stored: `wattmark archive` writes them.")
        return
    console().print(f"{output}: {len(runs)} runs.")
