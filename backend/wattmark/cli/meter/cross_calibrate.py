"""`wattmark meter cross-calibrate`: a BMC held against a wall meter, kept for runs that have the BMC only."""

from __future__ import annotations

import asyncio
import time
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.plain_console import console
from wattmark.cli.console.writing import NOT_WHILE_SERVED, open_to_write
from wattmark.cli.meter.target import BenchFile, PasswordEnv, PasswordFile, User, resolve
from wattmark.cli.tables.shown import show
from wattmark.core.errors import InputError, NotFound
from wattmark.core.numbers import format_uncertain
from wattmark.instruments.known_bench import load_known_bench
from wattmark.results.cross_calibration import cross_calibrate_live, cross_calibrate_run
from wattmark.results.data_folder import Storage, open_storage
from wattmark.tables.table import Column, Table
from wattmark.traceability.cross_calibration.record import LEAST_CHANGES, CrossCalibrationRecord
from wattmark.traceability.cross_calibration.register import CrossCalibrations

LEAST_S = 60


def cross_calibrate(
    bmc: Annotated[str | None, typer.Argument(metavar="BMC", help="Name in the bench file, or URL.")] = None,
    wall: Annotated[str | None, typer.Argument(metavar="WALL", help="Name in the bench file, or URL.")] = None,
    run: Annotated[str | None, typer.Option("--run", help="Use the readings of this run.")] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", min=LEAST_S, max=86400, help="Record both now, under varying load."),
    ] = None,
    valid_until: Annotated[
        datetime | None,
        typer.Option("--valid-until", formats=["%Y-%m-%d"], help="Last day on which it serves. [default: a year on]"),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the stored cross-calibrations.")] = False,
    data: DataDir = None,
    bench: BenchFile = None,
    user: User = None,
    password_file: PasswordFile = None,
    password_env: PasswordEnv = None,
    as_json: AsJson = False,
) -> None:
    """Fit gain, offset and lag of a BMC against a wall meter; the newest good fit gives its later runs a ±.

    User and password are those of the BMC. Exit code 1 when the fit fails its own rules; it is kept, but not used.
    """
    if listed:
        _list(data, as_json=as_json)
        return
    if bmc is None or wall is None or (run is None) == (seconds is None):
        raise InputError(
            "A cross-calibration needs a BMC, a wall meter and a common recording.",
            "Run `wattmark meter cross-calibrate BMC WALL` with --run RUN_ID or --seconds N, or with --list.",
        )
    if run is not None and not (data_dir(data) / "wattmark.db").is_file():
        raise InputError(f"There are no results in {data_dir(data)}.", "Give the data folder of a service: --data DIR.")
    with closing(open_to_write(data, NOT_WHILE_SERVED)) as storage:
        if run is not None:
            record = _from_run(storage, run, bmc, wall)
        else:
            record = _live(bmc, wall, seconds or 0.0, bench, user, password_file, password_env)
        if valid_until is not None:
            record = record.model_copy(update={"valid_until": valid_until.date()})
        record = CrossCalibrations(storage.runs).add(record)
    if as_json:
        emit_json(record)
    else:
        _print(record)
    if not record.good:
        raise typer.Exit(1)


def _from_run(storage: Storage, run_id: str, bmc: str, wall: str) -> CrossCalibrationRecord:
    run = storage.runs.get(run_id)
    if run is None:
        raise NotFound(f"There is no run {run_id[:80]!r}.", "List the runs with `wattmark results`.")
    return cross_calibrate_run(run, storage.samples, bmc, wall)


def _live(
    bmc: str,
    wall: str,
    seconds: float,
    bench: Path | None,
    user: str | None,
    password_file: Path | None,
    password_env: str | None,
) -> CrossCalibrationRecord:
    bmc_settings = resolve(bmc, bench, user, password_file, password_env)
    wall_settings = resolve(wall, bench, None, None, None)
    described = load_known_bench(bench) if bench else None
    server = next((entry.server for entry in described.bmcs if entry.id == bmc), "") if described else ""
    latency_s = next((entry.latency_s for entry in described.meters if entry.id == wall), 0.0) if described else 0.0
    with Progress(console=console(), transient=True, disable=not console().is_terminal) as bars:
        task = bars.add_task("Recording; let the server idle and then run at full load", total=seconds)
        return asyncio.run(
            cross_calibrate_live(
                bmc_settings,
                wall_settings,
                server,
                seconds,
                wall_latency_s=latency_s,
                on_tick=lambda passed_s: bars.update(task, completed=passed_s),
            )
        )


def _list(data: Path | None, *, as_json: bool) -> None:
    folder = data_dir(data)
    records: list[CrossCalibrationRecord] = []
    if (folder / "wattmark.db").is_file():
        storage = open_storage(folder, read_only=True)
        try:
            records = CrossCalibrations(storage.runs).all()
        finally:
            storage.close()
    if as_json:
        emit_json({"cross_calibrations": records})
        return
    now_ns = time.time_ns()
    headings = ("Server", "BMC", "Wall meter", "Day", "Age", "Valid until", "Drift", "Gain", "Offset", "Lag")
    more = ("From", "To", "Judged", "Source")
    columns = tuple(Column(name.lower().replace(" ", "_"), name) for name in (*headings, *more))
    rows = tuple(_row(record, now_ns) for record in records)
    show(Table("cross_calibrations", "Cross-calibrations of BMCs", columns, rows), "table", None)


def _row(record: CrossCalibrationRecord, now_ns: int) -> tuple[str, ...]:
    failed = [verdict.rule for verdict in record.verdicts if verdict.outcome == "fail"]
    judged = "good" if record.good else f"not used: {', '.join(failed)}"
    return (
        record.server or "-",
        record.bmc.name,
        record.wall.name,
        record.day,
        f"{record.age_days(now_ns)} d",
        f"{record.last_day}{' (expired)' if record.expired(now_ns) else ''}",
        f"u {record.u_drift_pct:.2g} %" + ("" if len(record.changes_pct) >= LEAST_CHANGES else ", assumed"),
        format_uncertain(record.gain, record.gain_U95),
        format_uncertain(record.offset_w, record.offset_U95_w, "W"),
        format_uncertain(record.lag_s, record.lag_U95_s, "s"),
        f"{record.low_w:.0f} W",
        f"{record.high_w:.0f} W",
        judged + (" (simulated)" if record.simulated else ""),
        record.source,
    )


def _print(record: CrossCalibrationRecord) -> None:
    typer.echo(
        f"{record.wall.name} = {format_uncertain(record.offset_w, record.offset_U95_w, 'W')} + "
        f"({format_uncertain(record.gain, record.gain_U95)}) × {record.bmc.name}, "
        f"from {record.low_w:.0f} to {record.high_w:.0f} W of the BMC (intervals at 95 %)"
    )
    lag = format_uncertain(record.lag_s, record.lag_U95_s, "s")
    typer.echo(f"The BMC shows a change of power {lag} later than the wall meter.")
    typer.echo(f"Valid until {record.last_day}; {record.drift_text}.")
    for verdict in record.verdicts:
        words = verdict.outcome.replace("-", " ")
        typer.echo(f"{words:<11} {verdict.rule:<12} {verdict.text}")
    if record.simulated:
        typer.echo("Simulated: this tells nothing about a real BMC.", err=True)
    reason = record.wall_unspecified
    if reason is not None:
        typer.echo(f"{reason} Runs with this BMC still have no ±.", err=True)
