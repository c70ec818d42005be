"""`wattmark workload`: what the catalogue holds, and a short try of one of them on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from wattmark.bench.load import load_bench
from wattmark.bench.workload_entry import Adaptation, WorkloadUse
from wattmark.cli.console.options import AsJson
from wattmark.cli.console.output import emit_json
from wattmark.cli.console.plain_console import console
from wattmark.cli.tables.shown import show
from wattmark.core.errors import InputError
from wattmark.core.likely import meant
from wattmark.tables.table import Column, Table
from wattmark.workloads.catalogue import list_workloads, load_catalogue
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.local.programs import missing_program
from wattmark.workloads.seeds import published_only
from wattmark.workloads.trying import level_of, try_workload

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
    chosen = level_of(declaration, level)
    if not as_json:
        console().print(f"{declaration.title}: {declaration.level_text(chosen)}, about {seconds:g} s.")
    tried = asyncio.run(try_workload(declaration, chosen, seconds, folder))
    if as_json:
        emit_json(tried.facts())
    else:
        typer.echo(tried.sentence())


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
