"""`wattmark check-standard`: a stable load read every week, and its control chart."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from wattmark_drivers.clock import SystemClock

from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.writing import in_web_app, open_to_write, unless_in_use
from wattmark.cli.tables.shown import show
from wattmark.core.errors import InputError
from wattmark.results.data_folder import open_storage
from wattmark.results.tables.marks import SIMULATED
from wattmark.service.service import open_service
from wattmark.service.settings import read_settings
from wattmark.tables.table import Column, Table
from wattmark.traceability.check_standards.record import NewCheckStandard
from wattmark.traceability.check_standards.service import CheckStandards
from wattmark.traceability.check_standards.views import CheckChartOut, CheckPointOut, CheckStandardOut, NewReading

app = typer.Typer(no_args_is_help=True)
INSTANT = "%Y-%m-%dT%H:%M:%S%z"
Name = Annotated[str, typer.Argument(help="Name of the check standard.")]
BenchFile = Annotated[Path | None, typer.Option("--bench", help="Bench file that describes the meter.")]


@app.callback()
def check_standard() -> None:
    """Check meters between calibrations with a stable load."""


@app.command("add")
def add(
    name: Name,
    meter: Annotated[str, typer.Option("--meter", help="Id of the meter in the bench file.")],
    nominal: Annotated[float, typer.Option("--nominal", help="Rated power of the load [W].")],
    target: Annotated[float | None, typer.Option("--target", help="Target reading of the meter [W].")] = None,
    description: Annotated[str, typer.Option("--description", help="Description of the load.")] = "",
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Add a check standard for one meter."""
    order = _checked(
        NewCheckStandard, name=name, meter=meter, nominal_w=nominal, target_w=target, description=description
    )
    with _check_standards(data, in_web_app("calibration", "Add a check standard")) as check_standards:
        added = check_standards.add(order)
    if as_json:
        emit_json(added)
    else:
        typer.echo(f"Check standard {added.name} added. {added.statement}")


@app.command("record")
def record(
    name: Name,
    operator: Annotated[str, typer.Option("--operator", help="Name of the operator.")],
    bench: BenchFile = None,
    seconds: Annotated[float, typer.Option("--seconds", help="Duration of the reading [s].")] = 60.0,
    watts: Annotated[float | None, typer.Option("--watts", help="Reading entered by hand [W].")] = None,
    sd: Annotated[float | None, typer.Option("--sd", help="Standard deviation of the readings [W].")] = None,
    samples: Annotated[int | None, typer.Option("--samples", help="Number of values that --watts averages.")] = None,
    range_: Annotated[str | None, typer.Option("--range", help="Range of the meter, for --watts.")] = None,
    taken_at: Annotated[
        datetime | None, typer.Option("--at", formats=[INSTANT], help="Time of the reading, for --watts.")
    ] = None,
    note: Annotated[str, typer.Option("--note", help="Note.")] = "",
    new_baseline: Annotated[
        bool,
        typer.Option(
            "--new-baseline", help="Start a new baseline, because the meter was calibrated or the load changed."
        ),
    ] = False,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Record a reading, from the live meter (--bench) or by hand (--watts). Exit code 1: out of control."""
    common = {"operator": operator, "note": note, "begins_baseline": new_baseline}
    if (watts is None) == (bench is None):
        raise InputError("The reading needs either a meter or a value.", "Give --bench FILE, or --watts W.")
    if bench is not None:
        order = _checked(NewReading, **common, seconds=seconds)
        chart = asyncio.run(_live(name, order, data, bench))
    else:
        order = _checked(NewReading, **common, power_w=watts, sd_w=sd, n=samples, range=range_)
        with _check_standards(data, _record_instead(name)) as check_standards:
            chart = check_standards.record_by_hand(name, order, taken_at)
    _print_chart(chart, as_json)


@app.command("list")
def list_all(data: DataDir = None, as_json: AsJson = False) -> None:
    """List the check standards with their status."""
    with _check_standards(data) as check_standards:
        loads = check_standards.list()
    if as_json:
        emit_json({"check_standards": loads})
        return
    show(_list_table(loads), "table", None)


@app.command("chart")
def chart(name: Name, data: DataDir = None, as_json: AsJson = False) -> None:
    """Print the control chart of a check standard. Exit code 1: out of control."""
    with _check_standards(data) as check_standards:
        answer = check_standards.chart(name)
    if not as_json:
        show(_chart_table(answer), "table", None)
    _print_chart(answer, as_json)


@contextmanager
def _check_standards(data: Path | None, instead: str | None = None) -> Iterator[CheckStandards]:
    """Open a data folder to read, or to change what ``instead`` says for a running service."""
    storage = open_storage(data_dir(data), read_only=True) if instead is None else open_to_write(data, instead)
    try:
        yield CheckStandards(storage.check_standards, SystemClock())
    finally:
        storage.close()


async def _live(name: str, order: NewReading, data: Path | None, bench: Path) -> CheckChartOut:
    with unless_in_use(_record_instead(name)):
        opened = open_service(read_settings(data, bench=bench))
    async with opened as service:
        return await service.check_standards.record(name, order)


def _record_instead(name: str) -> str:
    return in_web_app(f"calibration/check-standards/{name}", "Record a reading")


def _checked(model: Any, **values: Any) -> Any:
    try:
        return model(**values)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"{first['loc'][0]}: {first['msg']} (given: {first['input']!r}).", "See --help.") from error


def _print_chart(chart: CheckChartOut, as_json: bool) -> None:
    if as_json:
        emit_json(chart)
    else:
        typer.echo(f"{chart.standard.name}: {chart.standard.statement}")
    if chart.standard.state == "out of control":
        raise typer.Exit(1)


def _list_table(loads: list[CheckStandardOut]) -> Table:
    columns = (
        *(Column("name", "Load"), Column("meter", "Meter"), Column("nominal", "Nominal", "W", "number")),
        *(Column("readings", "Readings", kind="integer"), Column("last", "Last", kind="time")),
        Column("state", "State"),
    )
    rows = [
        (load.name, load.meter, load.nominal_w, load.readings, load.last, load.state + ", overdue" * load.overdue)
        for load in loads
    ]
    return Table("check-standards", "Check standards", columns, tuple(rows))


def _chart_table(chart: CheckChartOut) -> Table:
    columns = (
        Column("at", "Taken", kind="time"),
        Column("power", "Power", "W", "number"),
        Column("sd", "s", "W", "number"),
        Column("n", "n", kind="integer"),
        Column("z", "Distance in s", kind="number"),
        Column("judgement", "Judgement"),
        Column("marks", "Marks"),
        Column("operator", "Operator"),
        Column("note", "Note"),
    )
    points = [point for segment in chart.segments for point in segment.points]
    rows = [(p.at, p.power_w, p.sd_w, p.n, p.z, _judgement(p), _marks(p), p.operator, p.note) for p in points]
    return Table("check-standard", f"Check standard {chart.standard.name}", columns, tuple(rows))


def _judgement(point: CheckPointOut) -> str:
    return "; ".join(point.violations) or point.zone or ("baseline" if point.in_baseline else "")


def _marks(point: CheckPointOut) -> str:
    """Say what a reading is besides one of a real meter that was read here."""
    return ", ".join(word for word, holds in ((SIMULATED, point.simulated), ("by hand", point.by_hand)) if holds)
