"""`wattmark check-load`: a stable load read every week, and its control chart."""

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

from wattmark.appliance.appliance import open_appliance
from wattmark.check_loads.room import CheckLoads
from wattmark.check_loads.views import CheckChartOut, CheckLoadOut, CheckPointOut, NewCheckLoad, NewReading
from wattmark.cli.options import AsJson, DataDir, data_dir
from wattmark.cli.output import emit_json
from wattmark.cli.tables import show
from wattmark.errors import InputError
from wattmark.reports.table import Column, Table
from wattmark.settings import read_settings
from wattmark.storage.open import open_storage

app = typer.Typer(no_args_is_help=True)
INSTANT = "%Y-%m-%dT%H:%M:%S%z"
Name = Annotated[str, typer.Argument(help="Name of the check load.")]
BenchFile = Annotated[Path | None, typer.Option("--bench", help="Bench file that describes the meter.")]


@app.callback()
def check_load() -> None:
    """Watch a stable load between calibrations."""


@app.command("add")
def add(
    name: Name,
    meter: Annotated[str, typer.Option("--meter", help="Id of the meter in the bench file.")],
    nominal: Annotated[float, typer.Option("--nominal", help="Rated power of the load [W].")],
    target: Annotated[float | None, typer.Option("--target", help="What the meter shall read [W].")] = None,
    description: Annotated[str, typer.Option("--description", help="What the load is.")] = "",
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Add a check load of one meter."""
    order = _checked(NewCheckLoad, name=name, meter=meter, nominal_w=nominal, target_w=target, description=description)
    with _room(data) as room:
        added = room.add(order)
    if as_json:
        emit_json(added.model_dump(mode="json"))
    else:
        typer.echo(f"Check load {added.name} added. {added.statement}")


@app.command("record")
def record(
    name: Name,
    operator: Annotated[str, typer.Option("--operator", help="Who takes the reading.")],
    bench: BenchFile = None,
    seconds: Annotated[float, typer.Option("--seconds", help="How long the meter is read [s].")] = 60.0,
    watts: Annotated[float | None, typer.Option("--watts", help="What the meter showed, read by a person [W].")] = None,
    sd: Annotated[float | None, typer.Option("--sd", help="Standard deviation of what it showed [W].")] = None,
    samples: Annotated[int | None, typer.Option("--samples", help="How many values --watts is the mean of.")] = None,
    range_: Annotated[str | None, typer.Option("--range", help="Range of the meter, for --watts.")] = None,
    at: Annotated[datetime | None, typer.Option("--at", formats=[INSTANT], help="When, for --watts.")] = None,
    note: Annotated[str, typer.Option("--note", help="What a reader should know.")] = "",
    new_baseline: Annotated[
        bool, typer.Option("--new-baseline", help="The meter was calibrated or the load changed: begin anew.")
    ] = False,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Record a reading: of the live meter (--bench), or as a person read it (--watts). Exit code 1: out of control."""
    said = {"operator": operator, "note": note, "begins_baseline": new_baseline}
    if (watts is None) == (bench is None):
        raise InputError("A reading needs either a meter or a figure.", "Give --bench FILE, or --watts W.")
    if bench is not None:
        order = _checked(NewReading, **said, seconds=seconds)
        chart = asyncio.run(_live(name, order, data, bench))
    else:
        order = _checked(NewReading, **said, power_w=watts, sd_w=sd, n=samples, range=range_)
        with _room(data) as room:
            chart = room.record_by_hand(name, order, at)
    _tell(chart, as_json)


@app.command("list")
def list_all(data: DataDir = None, as_json: AsJson = False) -> None:
    """List the check loads and how they stand."""
    with _room(data, read_only=True) as room:
        loads = room.list()
    if as_json:
        emit_json({"check_loads": [load.model_dump(mode="json") for load in loads]})
        return
    show(_list_table(loads), "table", None)


@app.command("chart")
def chart(name: Name, data: DataDir = None, as_json: AsJson = False) -> None:
    """Print the control chart of a check load. Exit code 1: out of control."""
    with _room(data, read_only=True) as room:
        found = room.chart(name)
    if not as_json:
        show(_chart_table(found), "table", None)
    _tell(found, as_json)


@contextmanager
def _room(data: Path | None, *, read_only: bool = False) -> Iterator[CheckLoads]:
    storage = open_storage(data_dir(data), read_only=read_only)
    try:
        yield CheckLoads(storage.check_loads, SystemClock())
    finally:
        storage.close()


async def _live(name: str, order: NewReading, data: Path | None, bench: Path) -> CheckChartOut:
    async with open_appliance(read_settings(data, bench=bench)) as appliance:
        return await appliance.check_loads.record(name, order)


def _checked(model: Any, **given: Any) -> Any:
    try:
        return model(**given)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"{first['loc'][0]}: {first['msg']} (given: {first['input']!r}).", "See --help.") from error


def _tell(found: CheckChartOut, as_json: bool) -> None:
    if as_json:
        emit_json(found.model_dump(mode="json"))
    else:
        typer.echo(f"{found.load.name}: {found.load.statement}")
    if found.load.state == "out of control":
        raise typer.Exit(1)


def _list_table(loads: list[CheckLoadOut]) -> Table:
    columns = (
        *(Column("name", "Load"), Column("meter", "Meter"), Column("nominal", "Nominal", "W", "number")),
        *(Column("readings", "Readings", kind="integer"), Column("last", "Last", kind="time")),
        Column("state", "State"),
    )
    rows = [
        (one.name, one.meter, one.nominal_w, one.readings, one.last, one.state + ", overdue" * one.overdue)
        for one in loads
    ]
    return Table("check-loads", "Check loads", columns, tuple(rows))


def _chart_table(found: CheckChartOut) -> Table:
    columns = (
        Column("at", "Taken", kind="time"),
        Column("power", "Power", "W", "number"),
        Column("sd", "s", "W", "number"),
        Column("n", "n", kind="integer"),
        Column("z", "Distance in s", kind="number"),
        Column("judgement", "Judgement"),
        Column("operator", "Operator"),
        Column("note", "Note"),
    )
    points = [point for segment in found.segments for point in segment.points]
    rows = [(p.at, p.power_w, p.sd_w, p.n, p.z, _judgement(p), p.operator, p.note) for p in points]
    return Table("check-load", f"Check load {found.load.name}", columns, tuple(rows))


def _judgement(point: CheckPointOut) -> str:
    return "; ".join(point.violations) or point.zone or ("baseline" if point.in_baseline else "")
