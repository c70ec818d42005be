"""`wattmark mapping`: what the columns of CSV files are, kept for `wattmark import csv`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from wattmark.cli.console.audited import note_act
from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json, visible
from wattmark.cli.console.writing import in_web_app, open_to_write
from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.csv_import import KIND
from wattmark.importers.csv_mapping.kept import KeptMappings
from wattmark.importers.csv_mapping.mapping import CsvMapping, read_mapping
from wattmark.results.data_folder import Storage, open_storage

app = typer.Typer(no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="Name of the mapping.")]


@app.callback()
def mapping() -> None:
    """Keep mappings: what the columns of a CSV file hold, in which units and with which stamps."""


@app.command("list")
def list_mappings(data: DataDir = None, as_json: AsJson = False) -> None:
    """List the mappings of a data folder."""
    with closing(open_storage(data_dir(data), read_only=True)) as storage:
        mappings = KeptMappings(storage.runs).all()
    if as_json:
        emit_json({"mappings": [_document(entry) for entry in mappings]})
        return
    for entry in mappings:
        columns = ", ".join(f"{column.column} [{column.unit}]".removesuffix(" []") for column in entry.columns)
        typer.echo(visible(f"{entry.name}  {entry.holds}: {columns}"))
    if not mappings:
        typer.echo("There are no mappings. Add one with `wattmark mapping add FILE`, or make one on the page Archives.")


@app.command("show")
def show_mapping(name: Name, data: DataDir = None) -> None:
    """Print a mapping as JSON, which `wattmark import csv PATH --mapping FILE` reads as well."""
    with closing(open_storage(data_dir(data), read_only=True)) as storage:
        emit_json(_document(KeptMappings(storage.runs).get(name)))


@app.command("add")
def add_mapping(
    file: Annotated[Path, typer.Argument(help="The mapping as YAML or JSON.")], data: DataDir = None
) -> None:
    """Keep the mapping of a file, in place of one of the same name."""
    added = read_mapping(file)
    instead = in_web_app("archives", "Import published results, which asks what the columns hold")
    with closing(open_to_write(data, instead)) as storage:
        KeptMappings(storage.runs).keep(added)
        note_act(storage, "mapping add", added.name)
    typer.echo(visible(f"{added.name}: kept"))


@app.command("delete")
def delete_mapping(name: Name, data: DataDir = None) -> None:
    """Delete a mapping. What was imported with it stays."""
    with closing(open_to_write(data, in_web_app("archives", f"Mappings kept here, Delete {name}"))) as storage:
        KeptMappings(storage.runs).delete(name)
        note_act(storage, "mapping delete", name)
    typer.echo(visible(f"{name}: deleted"))


def find_mapping(storage: Storage, kind: str, name_or_file: str | None) -> CsvMapping | None:
    """Find the mapping that an option names: a kept one, else a file. Raises `InputError`."""
    if name_or_file is None:
        return None
    if kind != KIND:
        raise InputError(f"A mapping is for CSV files, not for {kind!r}.", f"Use `wattmark import {KIND} PATH`.")
    mappings = KeptMappings(storage.runs)
    if name_or_file not in (mapping.name for mapping in mappings.all()) and Path(name_or_file).is_file():
        return read_mapping(Path(name_or_file))
    return mappings.get(name_or_file)


def _document(mapping: CsvMapping) -> dict[str, object]:
    return mapping.model_dump(mode="json", exclude_defaults=True)
