"""The samples of a run as a file: streamed, or written beside the store where the format cannot be streamed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from wattmark.rawdata.blocks import blocks
from wattmark.rawdata.csv_rows import csv_lines
from wattmark.rawdata.parquet_rows import write_samples
from wattmark.storage.sample_store import SampleStore

SampleFormat = Literal["csv", "parquet"]
MEDIA_TYPES: dict[SampleFormat, str] = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
_PIECE = 1 << 16


def samples_file(
    store: SampleStore, run_id: str, extension: SampleFormat, begin_ns: int | None, end_ns: int | None
) -> Iterator[bytes]:
    """Give the samples of a run between two instants, piece by piece. Raises `InputError` without the extra."""
    found = blocks(store, store.list_series(run_id), begin_ns, end_ns)
    if extension == "csv":
        return csv_lines(found)
    folder = tempfile.TemporaryDirectory(prefix="wattmark-")
    file = Path(folder.name) / "samples.parquet"
    try:
        write_samples(found, file)
    except BaseException:
        folder.cleanup()
        raise
    return _pieces(folder, file)


def _pieces(folder: tempfile.TemporaryDirectory[str], file: Path) -> Iterator[bytes]:
    with folder, file.open("rb") as content:
        while piece := content.read(_PIECE):
            yield piece
