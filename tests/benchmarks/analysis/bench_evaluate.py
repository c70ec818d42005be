"""Evaluating a run of 15 minutes at 1 Hz out of the store, beside merely reading its samples."""

import tempfile
from pathlib import Path

import numpy as np
from wattmark.results.data_folder import open_storage
from wattmark.results.evaluate import evaluate
from wattmark.runs.record import MeterRecord
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey

from tests.benchmarks.ratio import shortest_s, tell
from tests.stored_run import make_run

SECONDS = 900
BEGIN_NS = 1_700_000_000_000_000_000
ROUNDS = 20


def main() -> None:
    """Print the time of one evaluation and how many bare reads it takes."""
    run = make_run(
        begin_ns=BEGIN_NS, window_s=SECONDS, stated_throughput=8000.5,
        meters=(MeterRecord(name="m", model="x", title="x", reading_pct=1.0),),
    )  # fmt: skip
    t_ns = BEGIN_NS + np.arange(-30, SECONDS + 31) * 10**9
    with tempfile.TemporaryDirectory() as name:
        storage = open_storage(Path(name) / "data")
        series = storage.samples.series(SeriesKey("r", "s", "m", "power", "power", "W", "averaged"))
        storage.samples.append([(series.id, make_samples(t_ns, np.random.default_rng(0).normal(250, 1, len(t_ns))))])
        storage.samples.seal("r")
        read = shortest_s(lambda: storage.samples.read(series.id), ROUNDS)
        ours = shortest_s(lambda: evaluate(run, storage.samples), ROUNDS)
        storage.close()
    tell(f"evaluating a run of {SECONDS} s", ours * 1e3, read * 1e3, "ms", f"reading its {len(t_ns)} samples")


if __name__ == "__main__":
    main()
