"""`wattmark bundle`: a run of a language model as an audit bundle of InferenceX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json
from wattmark.core.errors import WattmarkError
from wattmark.core.whole_file import whole_file
from wattmark.reports.files.inferencex_bundle import inferencex_bundle
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations


def bundle(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run of a language model, with the power of its GPUs.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to write its files into.")],
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Write a run as an audit bundle of InferenceX: result, log of GPU power, validation, published figures."""
    storage = open_storage(data_dir(data), read_only=True)
    try:
        evaluations = Evaluations(storage)
        record = evaluations.record(run)
        files = inferencex_bundle(record, evaluations.result(record), storage.samples)
    finally:
        storage.close()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            with whole_file(folder / name) as file:
                file.write(text.encode())
    except OSError as error:
        raise WattmarkError(f"Cannot write {folder}: {error.strerror}.", "Choose another folder.") from error
    if as_json:
        emit_json({"folder": str(folder), "files": sorted(files)})
    else:
        typer.echo(f"{folder}: {', '.join(sorted(files))}")
