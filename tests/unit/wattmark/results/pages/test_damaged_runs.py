"""A run that is damaged on the disk fails alone: lists show it as failed with what to do, and it can be deleted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.results.pages.listing import RunQuery
from wattmark.results.pages.run_pages import RunPages
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus
from wattmark.runs.trash import Trash
from wattmark.store.query import query
from wattmark_drivers.clock import SystemClock

from tests.stored_run import BEGIN_NS, make_run, store_readings

Damage = Callable[[Storage], object]


def sql(*statements: str) -> Damage:
    """Change the file behind the checksums."""
    return lambda storage: storage.database.write(
        lambda connection: [query(connection, statement) for statement in statements]
    )


DAMAGES = {
    "record": sql("DROP TRIGGER run_crc_changes", "UPDATE run SET record = record || ' ' WHERE run_id = 'r1'"),
    "statement": sql(
        *(f"DROP TRIGGER issue_{name}" for name in ("stays", "crc_changes")),
        "UPDATE issue SET register_revision = 7 WHERE run_id = 'r1'", "DELETE FROM result_row",
    ),
    "samples": sql(
        "UPDATE chunk_data SET v = zeroblob(length(v)) WHERE id >> 32 = 2",
        "DELETE FROM issue", "DELETE FROM issued_result",
    ),
}  # fmt: skip


def run(k: int) -> RunRecord:
    return make_run(
        f"r{k}", window_s=60, configuration=f"c{k}", created_ns=BEGIN_NS + k, stated_throughput=8000.0 + k,
        meters=(MeterRecord(name="wall", model="m", title="Meter", reading_pct=0.1, fixed_w=0.2, resolution_w=0.01),),
    )  # fmt: skip


@pytest.fixture
def storage(storage: Storage) -> Storage:
    issuer = Issuer(storage, Evaluations(storage), SystemClock())
    for k in range(3):
        store_readings(storage, run(k), range(61), [300.0] * 61)
        storage.samples.seal(f"r{k}")
        storage.runs.put(run(k))
        issuer.first(run(k))
    return storage


@pytest.mark.parametrize("damage", DAMAGES)
def test_lists_show_it_as_failed_and_the_others_as_they_are(storage: Storage, damage: str) -> None:
    before = {row.run_id: row for row in RunPages(storage, Evaluations(storage)).rows(RunQuery()).rows}
    assert all(row.power.value == pytest.approx(300) for row in before.values())
    DAMAGES[damage](storage)
    results = Evaluations(storage)
    pages = RunPages(storage, results)
    for shown in (pages.rows(RunQuery()).rows, results.results()):
        by_run = {row.run_id: row for row in shown}
        assert by_run.keys() == before.keys()
        assert (by_run["r1"].status, by_run["r1"].power) == (RunStatus.FAILED, None)
        assert "damaged" in (by_run["r1"].reason or "")
        assert "backup" in (by_run["r1"].reason or "")
        assert {by_run[name].power.value for name in ("r0", "r2")} == {before["r0"].power.value}
    page = pages.run("r1")
    assert (page.result.status, page.result.power, page.previous, page.next) == (RunStatus.FAILED, None, "r0", "r2")
    assert "damaged" in (page.result.reason or "")
    assert pages.run("r0").result.power.value == before["r0"].power.value
    with pytest.raises(StoreError, match="damaged"):
        results.issued("r1")


@pytest.mark.parametrize("damage", DAMAGES)
def test_it_can_be_deleted(storage: Storage, damage: str) -> None:
    DAMAGES[damage](storage)
    results = Evaluations(storage)
    pages = RunPages(storage, results)
    trash = Trash(storage.runs, storage.delete_run, SystemClock())
    assert [run.run_id for run in trash.move(["r1"]).runs] == ["r1"]
    trash.delete("r1")
    assert trash.list().runs == []
    assert sorted(row.run_id for row in pages.rows(RunQuery()).rows) == ["r0", "r2"]
