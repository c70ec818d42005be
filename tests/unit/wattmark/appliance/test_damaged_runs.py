"""A run that is damaged on the disk fails alone: lists show it as failed with what to do, and it can be deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from wattmark.annotations.trash import Trash
from wattmark.appliance.queries import Queries
from wattmark.appliance.statements import Statements
from wattmark.errors import StoreError
from wattmark.published.library import load_published
from wattmark.runs.listing import RunQuery
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus
from wattmark.storage.columns import make_samples
from wattmark.storage.open import Storage, open_storage
from wattmark.storage.query import query
from wattmark.storage.sample_store import SeriesKey
from wattmark_drivers.clock import SystemClock

S = 10**9
T0 = 1_700_000_000 * S

Damage = Callable[[Storage], object]


def sql(*statements: str) -> Damage:
    """Change the file behind the checksums."""
    return lambda storage: storage.database.write(lambda connection: [query(connection, one) for one in statements])


DAMAGES = {
    "record": sql("DROP TRIGGER run_crc_changes", "UPDATE run SET record = record || ' ' WHERE run_id = 'r1'"),
    "statement": sql(
        *(f"DROP TRIGGER statement_{name}" for name in ("stays", "crc_changes", "result_crc_changes")),
        "UPDATE statement SET shelf_revision = 7 WHERE run_id = 'r1'", "DELETE FROM run_row",
    ),
    "samples": sql("UPDATE chunk_data SET v = zeroblob(length(v)) WHERE id >> 32 = 2", "DELETE FROM statement"),
}  # fmt: skip


def run(k: int) -> RunRecord:
    return RunRecord(
        run_id=f"r{k}", server="s", configuration=f"c{k}", workload="w", level="all", status=RunStatus.COMPLETE,
        created_ns=T0 + k, unit="signs", stated_throughput=8000.0 + k, window_begin_ns=T0, window_end_ns=T0 + 60 * S,
        meters=(MeterRecord(name="wall", model="m", title="Meter", reading_pct=0.1, fixed_w=0.2, resolution_w=0.01),),
    )  # fmt: skip


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    opened = open_storage(tmp_path)
    statements = Statements(opened, Queries(opened, load_published()), SystemClock())
    for k in range(3):
        number = opened.samples.series(SeriesKey(f"r{k}", "s", "wall", "power", "power", "W", "averaged")).id
        opened.samples.append([(number, make_samples([T0 + i * S for i in range(61)], [300.0] * 61))])
        opened.samples.seal(f"r{k}")
        opened.runs.put(run(k))
        statements.first(run(k))
    yield opened
    opened.close()


@pytest.mark.parametrize("damage", DAMAGES)
def test_lists_show_it_as_failed_and_the_others_as_they_are(storage: Storage, damage: str) -> None:
    before = {row.run_id: row for row in Queries(storage, load_published()).rows(RunQuery()).rows}
    assert all(row.power_w == pytest.approx(300) for row in before.values())
    DAMAGES[damage](storage)
    queries = Queries(storage, load_published())
    for shown in (queries.rows(RunQuery()).rows, queries.results()):
        found = {one.run_id: one for one in shown}
        assert found.keys() == before.keys()
        assert (found["r1"].status, found["r1"].power_w) == (RunStatus.FAILED, None)
        assert "damaged" in (found["r1"].reason or "")
        assert "backup" in (found["r1"].reason or "")
        assert {found[name].power_w for name in ("r0", "r2")} == {before["r0"].power_w}
    page = queries.run("r1")
    assert (page.result.status, page.result.power_w, page.previous, page.next) == (RunStatus.FAILED, None, "r0", "r2")
    assert "damaged" in (page.result.reason or "")
    assert queries.run("r0").result.power_w == before["r0"].power_w
    with pytest.raises(StoreError, match="damaged"):
        queries.stated("r1")


@pytest.mark.parametrize("damage", DAMAGES)
def test_it_can_be_deleted(storage: Storage, damage: str) -> None:
    DAMAGES[damage](storage)
    queries = Queries(storage, load_published())
    trash = Trash(storage.runs, queries.delete, SystemClock())
    assert [one.run_id for one in trash.move(["r1"]).runs] == ["r1"]
    trash.delete("r1")
    assert trash.list().runs == []
    assert sorted(row.run_id for row in queries.rows(RunQuery()).rows) == ["r0", "r2"]
