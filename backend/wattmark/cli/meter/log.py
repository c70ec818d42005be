"""`wattmark meter log`: write a log that `replay.log` plays, from a PTDaemon log or from a stored run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wattmark.cli.console.options import DataDir, data_dir
from wattmark.core.errors import InputError
from wattmark.exchange.importers.replay_log import Recording, from_ptdaemon, from_run, write_log
from wattmark.results.data_folder import open_storage


def log(
    source: Annotated[str, typer.Argument(help="A PTDaemon log (spl.txt), or the id of a run.", show_default=False)],
    output: Annotated[Path, typer.Option("-o", "--output", help="Write to this file; it must not exist.")],
    meter: Annotated[str | None, typer.Option("--meter", help="Which meter of the run.")] = None,
    data: DataDir = None,
) -> None:
    """Write a recorded log as a file that can be played: replay:///FILE?model=replay.log."""
    path = Path(source)
    recording = from_ptdaemon(path) if path.is_file() else _of_run(source, meter, data)
    rows = write_log(recording, output)
    for remark in recording.remarks:
        typer.echo(remark, err=True)
    typer.echo(f"{rows} values. Replay it: wattmark meter read 'replay://{output.resolve()}?model=replay.log' --watch")


def _of_run(run_id: str, meter: str | None, data: Path | None) -> Recording:
    folder = data_dir(data)
    if not (folder / "wattmark.db").is_file():
        raise InputError(f"{run_id} is not a file, and there are no runs in {folder}.", "Give a log or --data DIR.")
    storage = open_storage(folder, read_only=True)
    try:
        return from_run(storage.samples, run_id, meter)
    finally:
        storage.close()
