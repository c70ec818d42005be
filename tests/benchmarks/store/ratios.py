"""CPU time of what the store does, beside bare inserts of the same bytes."""

from __future__ import annotations

import itertools
import os
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import numpy as np
from wattmark.results.data_folder import Storage, open_storage
from wattmark.store.columns import SAMPLE_BYTES, make_samples
from wattmark.store.sample_store import SeriesKey

from tests.benchmarks.ratio import Pair, side_by_side

CHANNELS, SAMPLES = 12, 36_000
COMMITS, SLICES, RUNS = 10, 40, 5


def keys(run_id: str) -> list[SeriesKey]:
    """Name the series of a run."""
    return [SeriesKey(run_id, "s", "m", f"c{channel}", "power", "W", "averaged") for channel in range(CHANNELS)]


@contextmanager
def stores() -> Iterator[tuple[Storage, Callable[[Iterable[bytes]], None]]]:
    """Open a store, and a bare table in SQLite into which blobs are inserted in one durable commit."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        storage = open_storage(Path(name) / "data")
        bare = apsw.Connection(str(Path(name) / "bare.db"))
        for setting, value in (("journal_mode", "wal"), ("synchronous", "FULL"), ("wal_autocheckpoint", 250)):
            bare.pragma(setting, value)
        bare.execute("CREATE TABLE bare(id INTEGER PRIMARY KEY, blob BLOB NOT NULL)")

        def insert(blobs: Iterable[bytes]) -> None:
            bare.execute("BEGIN IMMEDIATE")
            for blob in blobs:
                bare.execute("INSERT INTO bare(blob) VALUES (?)", (blob,))
            bare.execute("COMMIT")

        try:
            yield storage, insert
        finally:
            bare.close()
            storage.close()


def commits() -> Iterator[Pair]:
    """Compare commits of one sample a channel with bare inserts of the same bytes; both wait for the disk alike."""
    payload = os.urandom(CHANNELS * SAMPLE_BYTES)
    with stores() as (storage, insert):
        numbers, seconds = storage.samples.enter(keys("r")), itertools.count()

        def append() -> None:
            for _ in range(COMMITS):
                sample = make_samples([next(seconds) * 10**9], [300.0])
                storage.samples.append([(number, sample) for number in numbers])

        def insert_bare() -> None:
            for _ in range(COMMITS):
                insert([payload])

        yield side_by_side("store: a commit of 12 samples", "a bare insert of SQLite", append, insert_bare, SLICES)


def bulk() -> Iterator[Pair]:
    """Compare appending and sealing a finished run with the checksum and bare inserts of its columns."""
    random, stamps = np.random.default_rng(0), np.arange(SAMPLES) * 10**8
    samples = [make_samples(stamps, random.normal(300, 5, SAMPLES)) for _ in range(CHANNELS)]
    columns = [column.tobytes() for each in samples for column in (each.t_ns, each.value)]
    with stores() as (storage, insert):
        runs = (f"r{number}" for number in itertools.count())

        def append() -> None:
            run_id = next(runs)
            storage.samples.append(list(zip(storage.samples.enter(keys(run_id)), samples, strict=True)))
            storage.samples.seal(run_id)

        def insert_bare() -> None:
            for column in columns:
                zlib.crc32(column)
            insert(columns)

        yield side_by_side("store: a finished run", "checksum, bare inserts of SQLite", append, insert_bare, RUNS)
