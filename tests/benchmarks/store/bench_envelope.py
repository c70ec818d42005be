"""Reading and drawing a series of 10 million samples, against one numpy sum over its stamps and values."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from wattmark.results.data_folder import open_storage
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey

from tests.benchmarks.ratio import shortest_s, tell

N = 10_000_000
STEP_NS = 10**8
ROUNDS = 5


def main() -> None:
    """Print each time and its ratio to the sum."""
    t = np.arange(N) * STEP_NS
    value = np.random.default_rng(0).normal(300, 5, N)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        storage = open_storage(Path(name))
        number = storage.samples.series(SeriesKey("r", "s", "m", "power", "power", "W", "averaged")).id
        storage.samples.append([(number, make_samples(t, value))])
        storage.samples.seal("r")
        hour = int(t[36_000])
        works: dict[str, Callable[[], object]] = {
            "numpy sum of stamps and values": lambda: (t.sum(), value.sum()),
            "envelope, 2000 buckets, from chunk extremes": lambda: storage.samples.envelope(number, 2000),
            "envelope, 3000 buckets, from all samples": lambda: storage.samples.envelope(number, 3000),
            "envelope of one hour, 2000 buckets": lambda: storage.samples.envelope(number, 2000, 0, hour),
            "read of one hour": lambda: storage.samples.read(number, 0, hour),
            "read of everything": lambda: storage.samples.read(number),
        }
        times = {label: shortest_s(work, ROUNDS) for label, work in works.items()}
        storage.close()
    (beside, limit), *ours = times.items()
    for label, best in ours:
        tell(f"{N:_} samples: {label}", best * 1e3, limit * 1e3, "ms", beside)


if __name__ == "__main__":
    main()
