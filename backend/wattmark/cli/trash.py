"""`wattmark trash`: runs that are out of the way, until they are gone for good."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.annotations.trash import Trash
from wattmark.annotations.views import TrashOut
from wattmark.appliance.queries import Queries
from wattmark.cli.audited import note_act
from wattmark.cli.options import AsJson, DataDir, data_dir
from wattmark.cli.output import emit_json, visible
from wattmark.published.library import load_published
from wattmark.storage.open import Storage, open_storage


def trash(
    runs: Annotated[list[str] | None, typer.Argument(metavar="RUN", help="Runs to move. None: list the trash.")] = None,
    restore: Annotated[bool, typer.Option("--restore", help="Take these runs out of the trash again.")] = False,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Move runs to the trash while no service runs, all or none, also those that cannot be read.

    Samples and all that was stated stay for 30 days. While a service runs, delete runs in the web app.
    """
    with closing(open_storage(data_dir(data), read_only=not runs)) as storage:
        found = _changed(storage, runs, restore=restore) if runs else _room(storage).list()
    if as_json:
        emit_json(found.model_dump(mode="json"))
        return
    for run in found.runs:
        typer.echo(visible(f"{run.run_id}  {run.title}, {run.workload}, kept until {run.kept_until}"))
    if not found.runs:
        typer.echo("The trash is empty.")


def _changed(storage: Storage, runs: list[str], *, restore: bool) -> TrashOut:
    room = _room(storage)
    found = room.restore(runs) if restore else room.move(runs)
    note_act(storage, "trash restore" if restore else "trash", *runs)
    return found


def _room(storage: Storage) -> Trash:
    return Trash(storage.runs, Queries(storage, load_published()).delete, SystemClock())
