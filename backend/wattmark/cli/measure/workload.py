"""`wattmark workload`: what the catalogue holds, and a short try of one of them on this machine."""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.bench.load import load_bench
from wattmark.bench.workload_entry import Adaptation, WorkloadUse
from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.plain_console import console
from wattmark.cli.tables.shown import show
from wattmark.core.errors import InputError
from wattmark.core.likely import meant
from wattmark.core.numbers import format_alone
from wattmark.tables.table import Column, Table
from wattmark.workloads.catalogue import list_workloads, load_catalogue
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.http.hooked import hooked
from wattmark.workloads.http.trigger import Caller
from wattmark.workloads.local.local import LocalTrigger
from wattmark.workloads.local.programs import missing_program
from wattmark.workloads.measure import measure
from wattmark.workloads.parsers.work import MarkedWork
from wattmark.workloads.prepared import prepared
from wattmark.workloads.seeds import published_only

app = typer.Typer(no_args_is_help=True)
COLUMNS = (
    Column("workload", "Workload"),
    Column("title", "What it does"),
    Column("unit", "Counts"),
    Column("level", "Level"),
    Column("limited_by", "Limited by"),
    Column("missing", "Missing here"),
)


@app.callback()
def workload() -> None:
    """List the workloads, and try one."""


@app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List the workloads of the catalogue, and what is missing for them on this machine."""
    rows = [_row(declaration) for declaration in list_workloads()]
    if as_json:
        emit_json({"workloads": rows, "published_only": published_only()})
        return
    notes = tuple(f"{item.title} exists only in published tables: {item.reason}" for item in published_only().values())
    cells = tuple(tuple(row[column.key] for column in COLUMNS) for row in rows)
    show(Table("workloads", "Workloads of the catalogue", COLUMNS, cells, notes), "table", None)


@app.command("try")
def try_one(
    name: Annotated[
        str,
        typer.Argument(
            help="Name of a workload in the catalogue or in the bench file.",
            autocompletion=lambda: list(load_catalogue()),
        ),
    ],
    level: Annotated[int | None, typer.Option("--level", min=1, help="Load level. Default: full load.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=1, max=3600, help="Length of the measurement [s].")] = 10.0,
    parameters: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the workload; repeatable.")
    ] = None,
    password_env: Annotated[
        str | None, typer.Option("--password-env", help="Environment variable that holds the password.")
    ] = None,
    bench: Annotated[
        Path | None, typer.Option("--bench", help="Bench file (YAML) with custom workloads; paths are relative to it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a workload once on this machine, without meters, and print its throughput."""
    declarations, folder = _known(bench)
    declaration = _adapted(name, declarations, parameters or (), password_env)
    if declaration.external:
        raise InputError(f"{name} is started elsewhere and sends its markers to a service.", "Run it in a plan.")
    if lacking := declaration.missing_parameters():
        cause = f"{name} needs {lacking[0]} ({declaration.parameters[lacking[0]].help})."
        raise InputError(cause, f"Set it: --set {lacking[0]}=...")
    if missing := missing_program(declaration, folder):
        raise InputError(missing)
    chosen = _level(declaration, level)
    if not as_json:
        console().print(f"{declaration.title}: {declaration.level_text(chosen)}, about {seconds:g} s.")
    work = asyncio.run(_measure(declaration, chosen, seconds, folder))
    tried = Tried(declaration, chosen, work)
    if as_json:
        emit_json(tried.facts())
    else:
        typer.echo(tried.sentence())


@dataclass(frozen=True, slots=True)
class Tried:
    """What a try gave."""

    declaration: Declaration
    level: int | None
    work: MarkedWork

    @property
    def throughput(self) -> float:
        """Compute the mean throughput over the window [unit/s]."""
        if self.work.stated_rate is not None:
            return self.work.stated_rate
        return sum(item.amount for item in self.work.intervals) / self.work.duration_s

    def facts(self) -> dict[str, Any]:
        """Write everything for scripts."""
        rates = [item.amount / ((item.end_ns - item.begin_ns) / 1e9) for item in self.work.intervals]
        return {
            "workload": self.declaration.id,
            "level": self.declaration.level_text(self.level),
            "throughput": self.throughput,
            "throughput_unit": f"{self.declaration.unit}/s",
            "window_s": self.work.duration_s,
            "intervals": rates,
            "response_times": [item.model_dump(exclude={"t_ns"}) for item in self.work.response],
            "remarks": list(self.work.remarks),
        }

    def sentence(self) -> str:
        """Say it in words."""
        unit, length = f"{self.declaration.unit}/s", f"{self.work.duration_s:.1f} s"
        rate = f"{format_alone(self.throughput, unit)} at {self.declaration.level_text(self.level)} over {length}."
        return " ".join((rate, *self.work.remarks))


async def _measure(declaration: Declaration, level: int | None, seconds: float, folder: Path) -> MarkedWork:
    clock = SystemClock()
    local, caller = LocalTrigger(clock, folder), Caller(f"try-{uuid4().hex[:12]}", platform.node())
    trigger = hooked(declaration, local, caller, folder=folder, clock=clock)
    async with prepared(declaration, level=level, seconds=seconds, trigger=trigger) as workspace:
        return await measure(
            declaration,
            level=level,
            seconds=seconds,
            trigger=trigger,
            clock=clock,
            on_begin=lambda _: None,
            workspace=workspace,
        )


def _known(bench: Path | None) -> tuple[Mapping[str, Declaration], Path]:
    """List the workloads that can be tried, and the folder in which their paths begin. Raises `InputError`."""
    if bench is None:
        return load_catalogue(), Path.cwd()
    loaded = load_bench(bench)
    return loaded.workload_declarations(), loaded.folder


def _adapted(
    name: str, declarations: Mapping[str, Declaration], parameters: Sequence[str], password_env: str | None
) -> Declaration:
    """Find a workload and put the given parameters into it. Raises `InputError`."""
    if name not in declarations:
        remedy = meant(name, declarations) or "List them with `wattmark workload list`."
        raise InputError(f"There is no workload {name!r}.", remedy)
    values = dict(_pair(item) for item in parameters)
    declaration = declarations[name]
    for key, value in values.items():
        parameter = declaration.parameters.get(key)
        if parameter is None:
            listed = ", ".join(declaration.parameters) or "none"
            raise InputError(f"{name} has no parameter {key!r}.", f"It has: {listed}.")
        if not parameter.accepts(value):
            raise InputError(
                f"{name} does not accept {value!r} for {key}.", f"{parameter.help}; form {parameter.pattern}."
            )
    return WorkloadUse.model_validate(
        {"uses": name, "with": Adaptation.model_validate({"parameters": values, "password_env": password_env})}
    ).apply(declaration)


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise InputError(f"--set {text} is not NAME=VALUE.", "Write for example --set host=127.0.0.1.")
    return key, value


def _level(declaration: Declaration, level: int | None) -> int | None:
    if declaration.level is None:
        if level is not None:
            raise InputError(f"{declaration.id} has no levels.", "Omit --level.")
        return None
    return level or declaration.level.full(len(os.sched_getaffinity(0)))


def _row(declaration: Declaration) -> dict[str, Any]:
    return {
        "workload": declaration.id,
        "title": declaration.title,
        "unit": declaration.unit,
        "level": declaration.level.many if declaration.level else "",
        "limited_by": declaration.limited_by,
        "missing": missing_program(declaration, Path.cwd()) or "",
        "stands_for": list(declaration.stands_for),
        "parameters": {key: item.model_dump() for key, item in declaration.parameters.items()},
        "package": declaration.package,
        "source": declaration.source,
    }
