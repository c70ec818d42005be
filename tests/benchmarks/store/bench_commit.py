"""Durable commits a second against a bare write + fdatasync of the same samples, and what a commit computes and writes.

The two take turns in short rounds on the same disk, and the ratio is the median of the rounds', so that it holds where
the absolute figures do not. A commit of thousands of series is measured in CPU time, sealing included. A finished run
in one commit is compared with the checksum, the write and the fdatasync of its stamps and values.
"""

import os
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from wattmark.results.data_folder import Storage, open_storage
from wattmark.store import series_table
from wattmark.store.columns import SAMPLE_BYTES, make_samples
from wattmark.store.sample_batch import SampleBatch
from wattmark.store.sample_store import SeriesKey

from tests.benchmarks.ratio import tell

CHANNELS = 12
RUN_SAMPLES = 36_000
ROUNDS = 21
COMMITS = 100
LARGE = ((4_000, 600), (9_000, 300))
"""Series of a large bench, and its commits: as many as it takes to seal more than once."""
GOALS = {1: ">= 0.85", 100: ">= 0.75"}
"""By samples of a channel."""


def rate(commit: Callable[[], None]) -> float:
    """Measure commits a second."""
    begin = time.perf_counter()
    for _ in range(COMMITS):
        commit()
    return COMMITS / (time.perf_counter() - begin)


def written() -> int:
    """Count the bytes that this process has written."""
    return int(next(line.split()[1] for line in Path("/proc/self/io").open() if line.startswith("wchar")))


def series(storage: Storage, n: int) -> list[int]:
    """Make series of one run."""
    keys = [SeriesKey("r", "s", f"m{index // 9}", f"c{index % 9}", "power", "W", "averaged") for index in range(n)]
    return storage.database.write(lambda connection: [series_table.number_of(connection, key)[0] for key in keys])


def compare(folder: Path, per_channel: int) -> None:
    """Print how many commits both make, their ratio, and the CPU time and the bytes of one commit here."""
    storage = open_storage(folder / f"data{per_channel}")
    samples = make_samples(np.arange(per_channel), np.random.default_rng(0).normal(300, 5, per_channel))
    batch = [(number, samples) for number in series(storage, CHANNELS)]
    payload = os.urandom(CHANNELS * per_channel * SAMPLE_BYTES)
    bare = os.open(folder / f"bare{per_channel}", os.O_WRONLY | os.O_CREAT)

    def write_bare() -> None:
        os.write(bare, payload)
        os.fdatasync(bare)

    rounds, computed, wrote = [], 0.0, 0
    for _ in range(ROUNDS):
        limit = rate(write_bare)
        began, before = time.process_time(), written()
        rounds.append((rate(lambda: storage.samples.append(batch)), limit))
        computed, wrote = computed + time.process_time() - began, wrote + written() - before
    os.close(bare)
    storage.close()
    ours, limit = (statistics.median(column) for column in zip(*rounds, strict=True))
    tell(
        f"durable commits, {CHANNELS} channels x {per_channel} samples",
        ours,
        limit,
        "/s",
        "write + fdatasync of the same bytes",
        GOALS.get(per_channel, ""),
        ratio=statistics.median(achieved / possible for achieved, possible in rounds),
    )
    sys.stdout.write(
        f"  {computed / ROUNDS / COMMITS * 1e6:.0f} us of CPU and {wrote / ROUNDS / COMMITS / 1e3:.1f} kB a commit\n"
    )


def bulk(folder: Path) -> None:
    """Print how fast a finished run of 12 channels is appended and sealed."""
    storage = open_storage(folder / "bulk")
    stamps, random = np.arange(RUN_SAMPLES) * 10**8, np.random.default_rng(0)
    samples = [make_samples(stamps, random.normal(300, 5, RUN_SAMPLES)) for _ in range(CHANNELS)]
    payload = b"".join(column.t_ns.tobytes() + column.value.tobytes() for column in samples)
    bare = os.open(folder / "bare_bulk", os.O_WRONLY | os.O_CREAT)
    rounds, computed = [], 0.0
    for number in range(ROUNDS):
        begin = time.perf_counter()
        zlib.crc32(payload)
        os.write(bare, payload)
        os.fdatasync(bare)
        limit = time.perf_counter() - begin
        names = [
            SeriesKey(f"r{number}", "s", "m", f"c{channel}", "power", "W", "averaged") for channel in range(CHANNELS)
        ]
        batch = list(zip(storage.samples.enter(names), samples, strict=True))
        begin, began = time.perf_counter(), time.process_time()
        storage.samples.append(batch)
        storage.samples.seal(f"r{number}")
        rounds.append((time.perf_counter() - begin, limit))
        computed += time.process_time() - began
    os.close(bare)
    storage.close()
    total = CHANNELS * RUN_SAMPLES / 1e6
    ours, limit = (total / statistics.median(column) for column in zip(*rounds, strict=True))
    tell(
        f"a finished run, {CHANNELS} channels x {RUN_SAMPLES} samples",
        ours,
        limit,
        "million/s",
        "checksum + write + fdatasync",
        ">= 0.75",
        ratio=statistics.median(bare_s / commit_s for commit_s, bare_s in rounds),
    )
    sys.stdout.write(f"  its own computing would allow {total * ROUNDS / computed:.1f} million/s\n")


def large(folder: Path, n: int, commits: int) -> None:
    """Print the CPU time of a commit of one sample of each of many series."""
    storage = open_storage(folder / f"large{n}")
    owners = np.array(series(storage, n))
    sample_batches = [
        SampleBatch.of_columns(owners, make_samples(np.full(n, number), np.full(n, 300.0 + number)))
        for number in range(commits)
    ]
    batches = [list(sample_batch) for sample_batch in sample_batches[:20]]
    began = time.process_time()
    for batch in batches:
        storage.samples.append(batch)
    apart = (time.process_time() - began) / len(batches)
    began = time.process_time()
    for sample_batch in sample_batches:
        storage.samples.append(sample_batch)
    together = (time.process_time() - began) / len(sample_batches)
    storage.close()
    name = f"a commit of {n} series as one sample batch, CPU, sealing included"
    tell(name, together * 1e3, apart * 1e3, "ms", f"as {n} parts, without sealing")


def main() -> None:
    """Compare a tick, ten samples a channel (a second at 10 Hz) and a hundred; a finished run; large benches."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        for per_channel in (1, 10, 100):
            compare(Path(name), per_channel)
        bulk(Path(name))
        for n, commits in LARGE:
            large(Path(name), n, commits)


if __name__ == "__main__":
    main()
