"""The same runs in a data folder, in an archive and in a Parquet archive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wattmark.archives.gather import Gatherer
from wattmark.archives.signature import SigningKey
from wattmark.archives.write import write_archive
from wattmark.fleet.parquet.archive import ParquetArchive
from wattmark.fleet.parquet.target import Folder
from wattmark.reading.readable import Readable
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations

LAB = "Marked lab"
NOW_NS = 1_790_000_000_000_000_000
OF_PEOPLE = ["lab", "tags", "note"]
"""Columns that a place has or leaves out: who measured, and what people added."""
WHO_COMPUTED = {"result_version", "issued", "software"}
"""What a result says of its issue, which the document in a Parquet archive does not repeat."""


def pack(data: Path, file: Path, *, notes: bool = False, key: SigningKey | None = None) -> Path:
    """Write all runs of a data folder to an archive."""
    storage = open_storage(data, read_only=True)
    with file.open("wb") as out:
        gatherer = Gatherer(storage, Evaluations(storage).result, notes=notes)
        write_archive(out, storage.runs.all(), gatherer, LAB, signing_key=key)
    storage.close()
    return file


def pour(data: Path, cold: Path, lab: str = LAB) -> Path:
    """Add all runs of a data folder to a Parquet archive."""
    storage = open_storage(data, read_only=True)
    with ParquetArchive(storage, Evaluations(storage), Folder(cold), lab, lambda: NOW_NS) as archive:
        archive.add(storage.runs.all())
    storage.close()
    return cold


def assert_same(read: Readable, folder: Readable, runs: Sequence[str]) -> None:
    """Compare all that one place gives with what the data folder gives, bit for bit."""
    for name in ("runs", "results"):
        there, here = (getattr(place, name)().to_polars().drop(OF_PEOPLE, strict=False) for place in (read, folder))
        assert len(here) > 0
        assert there.equals(here), f"{name}: {there} {here}"
    for run in runs:
        there, here = read.samples(run).to_polars(), folder.samples(run).to_polars()
        assert len(here) > 0
        assert there.equals(here), f"samples of {run}: {there} {here}"
    for run in runs:
        there, here = (place.result(run).model_dump(exclude=WHO_COMPUTED) for place in (read, folder))
        assert there == here
    there, here = read.compare(), folder.compare()
    assert there.to_polars().equals(here.to_polars())
    assert (there.title, there.footnotes) == (here.title, here.footnotes)
