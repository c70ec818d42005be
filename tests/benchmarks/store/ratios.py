"""CPU time of what the store does, beside the checksum and the bare write that it cannot do without."""

from __future__ import annotations

import itertools
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from wattmark.results.data_folder import Storage, open_storage
from wattmark.store.columns import SAMPLE_BYTES, make_samples
from wattmark.store.sample_store import SeriesKey

from tests.benchmarks.ratio import Pair, cpu_s

CHANNELS, SAMPLES = 12, 36_000
COMMITS, SLICES = 100, 5


def keys(run_id: str) -> list[SeriesKey]:
    """Name the series of a run."""
    return [SeriesKey(run_id, "s", "m", f"c{channel}", "power", "W", "averaged") for channel in range(CHANNELS)]


@contextmanager
def stores() -> Iterator[tuple[Storage, Callable[[bytes], None]]]:
    """Open a store, and a bare file that bytes are written to durably."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        storage = open_storage(Path(name) / "data")
        bare = os.open(Path(name) / "bare", os.O_WRONLY | os.O_CREAT)

        def write(payload: bytes) -> None:
            os.write(bare, payload)
            os.fdatasync(bare)

        try:
            yield storage, write
        finally:
            os.close(bare)
            storage.close()


def commits() -> Iterator[Pair]:
    """Compare commits of one sample a channel with bare writes of the same bytes and their fdatasync."""
    payload = os.urandom(CHANNELS * SAMPLE_BYTES)
    with stores() as (storage, write):
        numbers, seconds = storage.samples.enter(keys("r")), itertools.count()

        def append() -> None:
            for _ in range(COMMITS):
                sample = make_samples([next(seconds) * 10**9], [300.0])
                storage.samples.append([(number, sample) for number in numbers])

        def write_bare() -> None:
            for _ in range(COMMITS):
                write(payload)

        yield Pair(
            "store: a commit of 12 samples",
            "s",
            "write, fdatasync",
            lambda: cpu_s(append, SLICES),
            lambda: cpu_s(write_bare, SLICES),
        )


def bulk() -> Iterator[Pair]:
    """Compare appending and sealing a finished run with the checksum, the write and the fdatasync of its columns."""
    random, stamps = np.random.default_rng(0), np.arange(SAMPLES) * 10**8
    samples = [make_samples(stamps, random.normal(300, 5, SAMPLES)) for _ in range(CHANNELS)]
    payload = b"".join(column.t_ns.tobytes() + column.value.tobytes() for column in samples)
    with stores() as (storage, write):
        runs = (f"r{number}" for number in itertools.count())

        def append() -> None:
            run_id = next(runs)
            storage.samples.append(list(zip(storage.samples.enter(keys(run_id)), samples, strict=True)))
            storage.samples.seal(run_id)

        def write_bare() -> None:
            zlib.crc32(payload)
            write(payload)

        yield Pair(
            "store: a finished run",
            "s",
            "checksum, write, fdatasync",
            lambda: cpu_s(append, SLICES),
            lambda: cpu_s(write_bare, 4 * SLICES),
        )
