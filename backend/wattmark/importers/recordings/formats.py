"""The formats of recordings, by the end of the file name: to add one, add a line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO, NamedTuple

from wattmark.core.errors import InputError
from wattmark.importers.recordings.parquet_log import read_parquet, write_parquet
from wattmark.importers.recordings.ptdaemon_log import read_ptdaemon, write_ptdaemon
from wattmark.importers.recordings.recording import Recording
from wattmark.importers.recordings.wattmark_log import read_wattmark, write_wattmark


class Format(NamedTuple):
    """A format: what it is, and how it is read and written; the writer returns what it excluded."""

    title: str
    read: Callable[[Path], Recording]
    write: Callable[[Recording, IO[bytes]], list[str]]


FORMATS = {
    ".csv": Format("CSV, played by the driver replay.log", read_wattmark, write_wattmark),
    ".parquet": Format("Parquet", read_parquet, write_parquet),
    ".txt": Format("log of SPEC's PTDaemon", read_ptdaemon, write_ptdaemon),
}


def format_of(path: Path) -> Format:
    """Return the format that a file name asks for. Raises `InputError` naming those that there are."""
    ending = path.suffix.lower()
    if ending not in FORMATS:
        known = ", ".join(f"{end} ({form.title})" for end, form in FORMATS.items())
        raise InputError(
            f"{path.name[:80]} names no format of a recording.", f"End the file name with one of: {known}."
        )
    return FORMATS[ending]
