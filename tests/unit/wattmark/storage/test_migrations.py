"""A data folder of any earlier layout is brought up to date and keeps what is in it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.storage.database import FILE_NAME
from wattmark.storage.migrations import MIGRATIONS
from wattmark.storage.open import Storage, open_storage
from wattmark.storage.sample_store import Series, SeriesKey
from wattmark.storage.sqlite_outbox import SqliteOutbox
from wattmark.storage.verify import verify

LAYOUTS = Path(__file__).with_name("layouts")
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
POWER, VOLTAGE = (
    SeriesKey("r1", "s1", "wall", channel, channel, unit, "averaged")
    for channel, unit in (("power", "W"), ("voltage", "V"))
)
S = 10**9


def folder_of(layout: int, folder: Path) -> Path:
    """Make the data folder that a wattmark of this layout left."""
    connection = sqlite3.connect(folder / FILE_NAME)
    connection.executescript((LAYOUTS / f"layout{layout:02}.sql").read_text())
    connection.close()
    return folder


def check_samples(storage: Storage) -> None:
    assert storage.samples.list_series("r1") == [Series(1, POWER, 100), Series(2, VOLTAGE, 3)]
    power, voltage = (storage.samples.read(number) for number in (1, 2))
    np.testing.assert_array_equal(power.t_ns, np.arange(100) * S)
    np.testing.assert_array_equal(power.value, range(100))
    np.testing.assert_array_equal(np.flatnonzero(power.quality), [91])
    np.testing.assert_array_equal(power.u_t_s[88:92], [0, 0, 0.5, 0])
    assert (voltage.t_ns.tolist(), voltage.value.tolist()) == ([7, 8, 9], [230.5, 231.5, 232.5])
    np.testing.assert_array_equal(voltage.u_t_s, [0, 0.25, 0.25])


def test_a_database_of_every_earlier_layout_is_kept() -> None:
    kept = sorted(path.name for path in LAYOUTS.glob("*.sql"))
    assert kept == [f"layout{layout:02}.sql" for layout in range(1, len(MIGRATIONS))]


@pytest.mark.parametrize("layout", range(1, len(MIGRATIONS)))
def test_every_earlier_layout_keeps_its_runs(tmp_path: Path, layout: int) -> None:
    storage = open_storage(folder_of(layout, tmp_path))
    try:
        assert verify(storage.database.path) == []
        assert storage.runs.all() == [RUN]
        assert storage.runs.documents("campaign") == {"c1": {"n": 1, "ü": None}}
        check_samples(storage)
        storage.samples.seal("r1")
        check_samples(storage)
    finally:
        storage.close()


@pytest.mark.parametrize("layout", range(1, len(MIGRATIONS)))
def test_every_earlier_layout_keeps_its_documents(tmp_path: Path, layout: int) -> None:
    storage = open_storage(folder_of(layout, tmp_path))
    try:
        assert [load.name for load in storage.check_loads.all()] == ["lamp"] * (layout >= 2)
        assert [one.power_w for one in storage.check_loads.readings("lamp")] == [60.0] * (layout >= 2)
        assert [one.by for one in storage.certificates.shelf().decisions] == ["ab"] * (layout >= 3)
        assert list(storage.statements.in_force()) == ["gone"] * (layout >= 3)
        assert [said.note for said in storage.annotations.all().values()] == ["fan replaced"] * (layout >= 4)
        assert [run.run_id for run, _ in storage.runs.trashed()] == ["r2"] * (layout >= 4)
        assert [token.name for token in storage.tokens.all()] == ["laptop"] * (layout >= 6)
        assert len(storage.audit.before(None, 10)) == (layout >= 6)
        assert SqliteOutbox(storage.database, "http://influx/lab").state().waiting == 103
    finally:
        storage.close()
