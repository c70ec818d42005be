"""`wattmark backup`: one verified file with everything in a data folder."""

from __future__ import annotations

import json
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from wattmark.cli.console.options import AsJson, DataDir, data_dir
from wattmark.cli.console.output import emit_json, visible
from wattmark.core.errors import InputError
from wattmark.core.whole_file import write_whole
from wattmark.results.data_folder import open_storage
from wattmark.service.doctor.last_backup import FILE_NAME
from wattmark.service.doctor.stored import stored_documents
from wattmark.store.backup import back_up


def backup(
    file: Annotated[Path, typer.Argument(help="File to write; on another disk, preferably on another machine.")],
    data: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Copy all data while the service records, and verify the copy; what in it cannot be read is told.

    To restore: put the copy as wattmark.db into an empty folder and start `wattmark serve --data FOLDER`.
    """
    folder = data_dir(data)
    if file.exists() and (folder / "wattmark.db").exists() and file.samefile(folder / "wattmark.db"):
        raise InputError("The copy would overwrite the data folder itself.", "Choose another file.")
    with closing(open_storage(folder, read_only=True)) as storage:
        size = back_up(storage.database, file)
    written_at = datetime.now(UTC).isoformat(timespec="seconds")
    summary = {"file": str(file.absolute()), "bytes": size, "at": written_at}
    unreadable = [finding for finding in stored_documents(file) if finding.state == "problem"]
    with suppress(OSError):
        write_whole(folder / FILE_NAME, json.dumps(summary).encode())
    if as_json:
        emit_json({**summary, "unreadable": [finding.found for finding in unreadable]})
    else:
        typer.echo(f"{file}: {size / 1e6:.1f} MB, verified")
        for finding in unreadable:
            typer.echo(visible(f"as in the data folder: {finding.found}. {finding.remedy}"), err=True)
