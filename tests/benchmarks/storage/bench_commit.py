"""Durable commits a second of a 12-channel tick, against a bare write + fdatasync of the same samples.

The two take turns on the same disk, so the ratio holds where the absolute figures do not.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from wattmark.storage.columns import SAMPLE_BYTES, make_samples
from wattmark.storage.open import open_storage
from wattmark.storage.sample_store import SeriesKey

CHANNELS = 12
ROUNDS = 5
COMMITS = 400


def rate(commit: Callable[[], None]) -> float:
    """Measure commits a second."""
    begin = time.perf_counter()
    for _ in range(COMMITS):
        commit()
    return COMMITS / (time.perf_counter() - begin)


def compare(folder: Path, per_channel: int) -> None:
    """Print the best of some rounds for both."""
    storage = open_storage(folder / f"data{per_channel}")
    keys = [SeriesKey("r", "s", "m", f"c{index}", "power", "W", "averaged") for index in range(CHANNELS)]
    samples = make_samples(np.arange(per_channel), np.random.default_rng(0).normal(300, 5, per_channel))
    batch = [(storage.samples.series(key).id, samples) for key in keys]
    payload = os.urandom(CHANNELS * per_channel * SAMPLE_BYTES)
    bare = os.open(folder / f"bare{per_channel}", os.O_WRONLY | os.O_CREAT)

    def write_bare() -> None:
        os.write(bare, payload)
        os.fdatasync(bare)

    rates = [(rate(write_bare), rate(lambda: storage.samples.append(batch))) for _ in range(ROUNDS)]
    os.close(bare)
    storage.close()
    limit, ours = (max(column) for column in zip(*rates, strict=True))
    sys.stdout.write(
        f"{CHANNELS} channels x {per_channel:4} samples: {ours:7.0f} durable commits/s, "
        f"{ours / limit:.2f} of write + fdatasync ({limit:.0f}/s)\n"
    )


def main() -> None:
    """Compare one sample a channel (a tick) and ten (one commit a second at 10 Hz)."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        for per_channel in (1, 10, 100):
            compare(Path(name), per_channel)


if __name__ == "__main__":
    main()
