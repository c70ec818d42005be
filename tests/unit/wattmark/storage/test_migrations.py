"""A data folder of any earlier layout is brought up to date and keeps what is in it."""

from __future__ import annotations

from pathlib import Path

import apsw
import numpy as np
import pytest
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.storage import chunks, migrations, series_table, tail
from wattmark.storage.columns import make_samples
from wattmark.storage.migrations import MIGRATIONS
from wattmark.storage.open import open_storage
from wattmark.storage.sample_store import Series, SeriesKey

RUN = RunRecord(
    run_id="r1",
    server="s1",
    configuration="c1",
    workload="rsa",
    level="1 process",
    status=RunStatus.COMPLETE,
    created_ns=1_700_000_000_000_000_000,
    unit="signs",
)
KEY = SeriesKey("r1", "s1", "wall", "power", "power", "W", "averaged")


def record(connection: apsw.Connection) -> int:
    """Write samples as every layout since the first holds them: sealed ones and live ones."""
    number = series_table.number_of(connection, KEY)[0]
    t = np.arange(9003)
    chunks.write(connection, number, make_samples(t[:9000], t[:9000]))
    tail.write(connection, "r1", [(number, make_samples(t[9000:], t[9000:]))])
    return number


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_every_earlier_layout_keeps_its_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    with monkeypatch.context() as older:
        older.setattr(migrations, "MIGRATIONS", MIGRATIONS[:version])
        storage = open_storage(tmp_path)
        storage.runs.put(RUN)
        number = storage.database.write(record)
        storage.close()
    storage = open_storage(tmp_path)
    try:
        assert storage.runs.all() == [RUN]
        assert storage.samples.list_series("r1") == [Series(number, KEY, 9003)]
        np.testing.assert_array_equal(storage.samples.read(number).value, np.arange(9003))
        storage.samples.seal("r1")
        assert storage.samples.list_series("r1") == [Series(number, KEY, 9003)]
        assert storage.certificates.shelf().revision == 0
        assert storage.statements.in_force() == {}
        assert storage.check_loads.all() == []
    finally:
        storage.close()
