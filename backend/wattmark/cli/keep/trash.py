"""`wattmark trash`: runs that are out of the way, until they are gone for good."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.cli.console.audited import note_act
from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json, visible
from wattmark.cli.console.writing import in_web_app, open_to_write
from wattmark.results.data_folder import Storage, open_storage
from wattmark.runs.annotations.views import TrashOut
from wattmark.runs.trash import Trash


def trash(
    runs: Annotated[
        list[str] | None, typer.Argument(metavar="RUN", help="Runs to move. Without any: list the trash.")
    ] = None,
    restore: Annotated[bool, typer.Option("--restore", help="Restore these runs from the trash.")] = False,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Move runs to the trash while no service runs, all or none, also those that cannot be read.

    Samples and all that was issued stay for 30 days. While a service runs, delete runs in the web app.
    """
    steps = "Trash, then Restore" if restore else "select them, then Delete"
    instead = in_web_app("runs", steps)
    with closing(open_to_write(data, instead) if runs else open_storage(data_dir(data), read_only=True)) as storage:
        contents = _changed(storage, runs, restore=restore) if runs else _trash(storage).list()
    if as_json:
        emit_json(contents)
        return
    for run in contents.runs:
        typer.echo(visible(f"{run.run_id}  {run.title}, {run.workload}, kept until {run.kept_until}"))
    if not contents.runs:
        typer.echo("The trash is empty.")


def _changed(storage: Storage, runs: list[str], *, restore: bool) -> TrashOut:
    trash = _trash(storage)
    contents = trash.restore(runs) if restore else trash.move(runs)
    note_act(storage, "trash restore" if restore else "trash", *runs)
    return contents


def _trash(storage: Storage) -> Trash:
    return Trash(storage.runs, storage.delete_run, SystemClock())
