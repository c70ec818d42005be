"""`wattmark.read` of 10,000 runs from a data folder and from a Parquet archive, beside the bare rows of either.

usage: python -m tests.benchmarks.reading.bench_read [FOLDER]

The runs are generated first, which takes minutes; they are kept in FOLDER.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
from functools import partial
from pathlib import Path

import polars
import wattmark
from wattmark.fleet.parquet.archive import ParquetArchive
from wattmark.fleet.parquet.target import Folder
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.pages.row import FIGURES

from tests.benchmarks.ratio import shortest_s, tell
from tests.generated_lab import store_lab

SERVERS, CONFIGURATIONS, REPEATS = 50, 20, 11
"""10,050 runs: the fifth configuration of each server ran once."""
LIMIT_S = 1.0
NOW_NS = 1_790_000_000_000_000_000


def generate(folder: Path) -> None:
    """Store the laboratory, and archive it."""
    store_lab(folder / "data", SERVERS, CONFIGURATIONS, REPEATS)
    storage = open_storage(folder / "data", read_only=True)
    with ParquetArchive(storage, Evaluations(storage), Folder(folder / "cold"), "Lab", lambda: NOW_NS) as archive:
        archive.add(storage.runs.all())
    storage.close()


def bare_rows(folder: Path) -> int:
    """Read the stored rows by SQLite alone, and decode their JSON."""
    connection = sqlite3.connect(f"file:{folder}/data/wattmark.db?mode=ro", uri=True)
    try:
        return len([json.loads(line) for (line,) in connection.execute("SELECT line FROM result_row")])
    finally:
        connection.close()


def bare_columns(folder: Path) -> int:
    """Read the figures of the Parquet files by Polars alone."""
    names = ["run", *(column.key for of in FIGURES.values() for column, _ in (of.value, of.u, of.U95))]
    return len(polars.scan_parquet(folder / "cold/result/**/*.parquet").select(names).collect())


def measure(folder: Path) -> None:
    """Print the figures."""
    peers = {"data": (bare_rows, "SQLite and json"), "cold": (bare_columns, "Polars, nine columns")}
    for place, (bare, peer) in peers.items():
        runs = len(wattmark.read(folder / place).results())
        bare_s = shortest_s(partial(bare, folder))
        for name in ("runs", "results"):
            took_s = shortest_s(partial(read, folder / place, name))
            tell(f"read: {name}() of {runs} runs, {place}", took_s, LIMIT_S, "s", "its limit", "<= 1")
            tell(f"read: {name}() of {runs} runs, {place}", took_s, bare_s, "s", peer)


def read(place: Path, name: str) -> object:
    """Open a place, and read one of its tables."""
    return getattr(wattmark.read(place), name)()


def main(keep_in: str | None = None) -> None:
    """Generate the runs where they are not there yet, and measure."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(keep_in or name)
        if not (folder / "cold").exists():
            generate(folder)
        measure(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
