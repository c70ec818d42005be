"""Excluded samples on the traces: what a run's result excluded, on a real store."""

from __future__ import annotations

import numpy as np
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.pages.excluded_samples import ExcludedSamplesCache
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark_drivers.reading import Quality

from tests.stored_run import BEGIN_NS, S, make_run, store_readings


def run_with(storage: Storage, run_id: str, bad: tuple[int, ...]) -> RunRecord:
    """Keep five minutes at 200 W; the readings at these seconds are unusable."""
    seconds = np.arange(-5, 306)
    quality = np.where(np.isin(seconds, bad), int(Quality.INVALID), 0).astype(np.uint16)
    run = make_run(
        run_id, window_s=300, stated_throughput=100.0, full_load_limit_pct=None,
        meters=(MeterRecord(name="m", model="x", title="x", reading_pct=1.0),),
    )  # fmt: skip
    storage.runs.put(run)
    store_readings(storage, run, seconds, 200.0 + seconds % 2, quality=quality)
    return run


def test_samples_that_are_excluded_are_listed_and_others_none(storage: Storage) -> None:
    queries = Evaluations(storage)
    register = ExcludedSamplesCache(storage.samples)
    marred, sound = run_with(storage, "marred", (20, 41)), run_with(storage, "sound", ())
    expected = [(BEGIN_NS / S + 20, 200.0), (BEGIN_NS / S + 41, 201.0)]
    assert queries.result(marred).samples_excluded == 2
    assert register.of(marred, queries.result(marred)) == expected
    assert register.of(sound, queries.result(sound)) == []
    storage.samples.delete_run("marred")
    assert register.of(marred, queries.result(marred)) == expected, "an ended run is read once"
