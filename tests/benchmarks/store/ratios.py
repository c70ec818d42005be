"""CPU time of what the store does, beside the checksum and the bare write that it cannot do without."""

from __future__ import annotations

import itertools
import os
import tempfile
import zlib
from pathlib import Path

import numpy as np
from wattmark.results.data_folder import open_storage
from wattmark.store.columns import SAMPLE_BYTES, make_samples
from wattmark.store.sample_store import SeriesKey

from tests.benchmarks.ratio import Ratio, cpu_s

CHANNELS, SAMPLES = 12, 36_000
COMMITS = 300


def keys(run_id: str) -> list[SeriesKey]:
    """Name the series of a run."""
    return [SeriesKey(run_id, "s", "m", f"c{channel}", "power", "W", "averaged") for channel in range(CHANNELS)]


def commits() -> Ratio:
    """Compare commits of one sample a channel with bare writes of the same bytes and their fdatasync."""
    payload = os.urandom(CHANNELS * SAMPLE_BYTES)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        storage = open_storage(Path(name) / "data")
        bare = os.open(Path(name) / "bare", os.O_WRONLY | os.O_CREAT)
        batch = [(number, make_samples([0], [300.0])) for number in storage.samples.enter(keys("r"))]

        def write_bare() -> None:
            for _ in range(COMMITS):
                os.write(bare, payload)
                os.fdatasync(bare)

        def append() -> None:
            for _ in range(COMMITS):
                storage.samples.append(batch)

        try:
            return Ratio("store: a commit of 12 samples", cpu_s(append), cpu_s(write_bare), "s", "write, fdatasync")
        finally:
            os.close(bare)
            storage.close()


def bulk() -> Ratio:
    """Compare appending and sealing a finished run with the checksum, the write and the fdatasync of its columns."""
    random, stamps = np.random.default_rng(0), np.arange(SAMPLES) * 10**8
    samples = [make_samples(stamps, random.normal(300, 5, SAMPLES)) for _ in range(CHANNELS)]
    payload = b"".join(column.t_ns.tobytes() + column.value.tobytes() for column in samples)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        storage = open_storage(Path(name) / "data")
        bare = os.open(Path(name) / "bare", os.O_WRONLY | os.O_CREAT)

        def write_bare() -> None:
            zlib.crc32(payload)
            os.write(bare, payload)
            os.fdatasync(bare)

        runs = (f"r{number}" for number in itertools.count())

        def append() -> None:
            run_id = next(runs)
            storage.samples.append(list(zip(storage.samples.enter(keys(run_id)), samples, strict=True)))
            storage.samples.seal(run_id)

        try:
            return Ratio("store: a finished run", cpu_s(append), cpu_s(write_bare), "s", "checksum, write, fdatasync")
        finally:
            os.close(bare)
            storage.close()
