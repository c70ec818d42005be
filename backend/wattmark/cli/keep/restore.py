"""`wattmark restore`: the runs of archives, with everything that they rest on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from wattmark_drivers.clock import SystemClock

from wattmark.archives.data_folder import Archives
from wattmark.archives.outcome import Restoration
from wattmark.archives.signature import KEY_FILE, load_signing_key
from wattmark.cli.console.audited import note_act
from wattmark.cli.console.log_progress import work_shown
from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json, visible
from wattmark.cli.console.writing import in_web_app, open_to_write
from wattmark.core.errors import InputError
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer


def restore(
    files: Annotated[list[Path], typer.Argument(help="Archives written by `wattmark archive`.")],
    own: Annotated[
        bool, typer.Option("--own", help="The runs are from this lab: do not mark them as imported.")
    ] = False,
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Import the runs of archives, each archive whole or not at all, and recompute their results.

    An archive whose signature is wrong is refused; who signed it is shown, and stands in the record of its runs.
    """
    storage = open_to_write(data, in_web_app("archives", "Import runs"))
    try:
        results = Evaluations(storage)
        signing_key = load_signing_key(data_dir(data) / KEY_FILE)
        archives = Archives(storage, results, Issuer(storage, results, SystemClock()), signing_key=signing_key)
        done = {str(file): _restore(file, archives, storage, own) for file in files}
    finally:
        storage.close()
    if as_json:
        emit_json({"archives": [{"file": file, **restoration.model_dump()} for file, restoration in done.items()]})
    else:
        for file, restoration in done.items():
            _show(file, restoration)


def _restore(path: Path, archives: Archives, storage: Storage, own: bool) -> Restoration:
    try:
        with path.open("rb") as file, work_shown(path.name):
            done = archives.restore(file, path.name, own=own)
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.", "Check the name.") from error
    taken = (run.run_id for run in done.runs if run.state == "imported")
    note_act(storage, "restore", f"{path.name} of {done.lab}", *taken)
    return done


def _show(file: str, done: Restoration) -> None:
    typer.echo(visible(f"{file}: archive of {done.lab}, written by wattmark {done.software}"))
    typer.echo(visible(f"  signature: {done.signer.text}"))
    for run in done.runs:
        comparison = "" if run.state != "imported" else ", recomputed: same result"
        if run.differences:
            comparison = f", recomputed: differs in {', '.join(run.differences)}"
        typer.echo(f"  {run.run_id}  {run.state}{comparison}")
    for note in done.notes:
        typer.echo(visible(f"  {note}"))
