"""`wattmark convert`: the raw samples of one meter from one format into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wattmark.cli.console.log_options import Begin, Power, PrecisionOf, Zone
from wattmark.cli.console.log_progress import progress_shown
from wattmark.cli.console.options import DataDir, data_dir
from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.whole_file import whole_file
from wattmark.importers.choices import read_choices
from wattmark.importers.importer import Choices
from wattmark.importers.recordings.formats import format_of
from wattmark.importers.recordings.logs import from_log, log_format_of
from wattmark.importers.recordings.recording import Recording
from wattmark.importers.recordings.stored import from_archive, from_run
from wattmark.results.data_folder import open_storage

ARCHIVE = ".zip"


def convert(
    source: Annotated[
        str,
        typer.Argument(
            help="A PTDaemon log (.txt), CSV or Parquet of wattmark, another log that can be imported, an archive "
            "(.zip), or the id of a run.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="Write to this file, which must not exist: .csv, .parquet, or .txt."),
    ],
    run: Annotated[str | None, typer.Option("--run", help="Which run of an archive.")] = None,
    meter: Annotated[str | None, typer.Option("--meter", help="Which meter of the run, or of the log.")] = None,
    zone: Zone = None,
    power: Power = None,
    precision: PrecisionOf = None,
    begin: Begin = None,
    data: DataDir = None,
) -> None:
    """Convert the raw samples of a meter to PTDaemon log, CSV or Parquet; CSV can be replayed."""
    write = format_of(output).write
    if output.exists():
        raise InputError(f"{output} exists already.", "Choose another name with --output.")
    choices = read_choices(zone, power, precision, begin)
    with progress_shown(Path(source)):
        recording = _read(source, run, meter, data, choices)
        try:
            with whole_file(output) as file:
                excluded = write(recording, file)
        except OSError as error:
            raise WattmarkError(f"{output} cannot be written: {error.strerror}.", "Choose another folder.") from error
    for remark in (*recording.remarks, *excluded):
        typer.echo(remark, err=True)
    values = sum(len(column.samples) for column in recording.columns)
    typer.echo(f"{output}: {values} values of {len(recording.columns)} channels")
    if output.suffix.lower() == ".csv":
        typer.echo(f"Replay it: wattmark meter read 'replay://{output.resolve()}?model=replay.log' --watch")


def _read(source: str, run: str | None, meter: str | None, data: Path | None, choices: Choices) -> Recording:
    path = Path(source)
    if form := log_format_of(path):
        return from_log(form, path, choices, meter)
    if not path.is_file():
        return _of_run(source, meter, data)
    if path.suffix.lower() == ARCHIVE:
        return from_archive(path, run, meter)
    return format_of(path).read(path)


def _of_run(run_id: str, meter: str | None, data: Path | None) -> Recording:
    folder = data_dir(data)
    if not (folder / "wattmark.db").is_file():
        raise InputError(f"{run_id} is not a file, and there are no runs in {folder}.", "Give a log or --data DIR.")
    storage = open_storage(folder, read_only=True)
    try:
        return from_run(storage.samples, run_id, meter)
    finally:
        storage.close()
