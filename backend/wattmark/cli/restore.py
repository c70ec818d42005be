"""`wattmark restore`: the runs of archives, with everything that they rest on."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.appliance.archives import Archives
from wattmark.appliance.queries import Queries
from wattmark.appliance.statements import Statements
from wattmark.archives.outcome import Restoration
from wattmark.cli.audited import note_act
from wattmark.cli.options import AsJson, DataDir, data_dir
from wattmark.cli.output import emit_json, visible
from wattmark.errors import InputError
from wattmark.published.library import load_published
from wattmark.storage.open import Storage, open_storage


def restore(
    files: Annotated[list[Path], typer.Argument(help="Archives, as `wattmark archive` writes them.")],
    own: Annotated[
        bool, typer.Option("--own", help="The runs are this lab's own: keep them as measured, not as imported.")
    ] = False,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Import the runs of archives, each archive whole or not at all, and recompute their results."""
    storage = open_storage(data_dir(data))
    try:
        queries = Queries(storage, load_published())
        archives = Archives(storage, queries, Statements(storage, queries, SystemClock()))
        done = {str(file): _restore(file, archives, storage, own) for file in files}
    finally:
        storage.close()
    if as_json:
        emit_json({"archives": [{"file": file, **asdict(one)} for file, one in done.items()]})
    else:
        for file, one in done.items():
            _show(file, one)


def _restore(path: Path, archives: Archives, storage: Storage, own: bool) -> Restoration:
    try:
        with path.open("rb") as file:
            done = archives.restore(file, path.name, own=own)
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.", "Check the name.") from error
    taken = (run.run_id for run in done.runs if run.state == "imported")
    note_act(storage, "restore", f"{path.name} of {done.lab}", *taken)
    return done


def _show(file: str, done: Restoration) -> None:
    typer.echo(visible(f"{file}: archive of {done.lab}, written by wattmark {done.software}"))
    for run in done.runs:
        told = "" if run.state != "imported" else ", recomputed: the same result"
        if run.differences:
            told = f", recomputed: differs in {', '.join(run.differences)}"
        typer.echo(f"  {run.run_id}  {run.state}{told}")
    for note in done.notes:
        typer.echo(visible(f"  {note}"))
