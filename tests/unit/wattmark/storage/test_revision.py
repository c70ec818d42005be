"""The number that says whether anything changed that results rest on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.storage.columns import make_samples
from wattmark.storage.open import open_storage
from wattmark.storage.revision import revision
from wattmark.storage.sample_store import SeriesKey

RUN = RunRecord(
    run_id="r1",
    server="s1",
    configuration="c1",
    workload="rsa",
    level="1 process",
    status=RunStatus.RUNNING,
    created_ns=1_700_000_000_000_000_000,
    unit="signs",
)


def test_every_change_of_a_run_counts_and_samples_do_not(tmp_path: Path) -> None:
    storage = open_storage(tmp_path)
    other = open_storage(tmp_path, read_only=True)
    try:
        seen = [revision(other.database)]
        changes = (
            lambda: storage.runs.put(RUN),
            lambda: storage.runs.put(RUN.model_copy(update={"status": RunStatus.COMPLETE})),
            lambda: storage.runs.trash(["r1"], 1),
            lambda: storage.runs.restore(["r1"]),
            lambda: storage.runs.put_document("reconciliation", "x", {}),
            lambda: storage.runs.delete("r1"),
        )
        for change in changes:
            change()
            seen.append(revision(other.database))
        assert seen == sorted(set(seen))
        series = storage.samples.series(SeriesKey("r1", "s1", "m", "power", "power", "W", "averaged"))
        storage.samples.append([(series.id, make_samples(np.arange(3), np.ones(3)))])
        assert revision(other.database) == seen[-1]
    finally:
        other.close()
        storage.close()
