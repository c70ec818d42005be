"""What a service reads ahead is there when somebody asks, and what it does behind ends with it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from wattmark.appliance.queries import Queries
from wattmark.appliance.statements import Statements
from wattmark.appliance.warming import Warming, warmed
from wattmark.published.library import load_published
from wattmark.runs.listing import RunQuery
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.storage.open import Storage, open_storage
from wattmark.storage.sqlite_statements import SqliteStatementStore
from wattmark_drivers.clock import SystemClock

BEGIN_NS = 1_700_000_000_000_000_000


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    opened = open_storage(tmp_path)
    statements = Statements(opened, Queries(opened, load_published()), SystemClock())
    for k in range(120):
        run = RunRecord(
            run_id=f"r{k}", server="s", configuration=f"c{k % 3}", workload="w", level="all", unit="signs",
            status=RunStatus.COMPLETE, created_ns=BEGIN_NS + k, stated_throughput=8000.0 + k,
            window_begin_ns=BEGIN_NS, window_end_ns=BEGIN_NS + 90 * 10**9,
        )  # fmt: skip
        opened.runs.put(run)
        statements.first(run)
    yield opened
    opened.close()


def test_results_that_were_read_ahead_are_not_read_again(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = Queries(storage, load_published()).results()
    service = Queries(storage, load_published())
    steps = list(service.recall(1000))
    assert len(steps) > 1, "a little at a time"
    read: list[str] = []
    real = SqliteStatementStore.latest

    def counted(store: SqliteStatementStore, run_ids: list[str]) -> Iterator[object]:
        read.extend(run_ids)
        return real(store, run_ids)

    monkeypatch.setattr(SqliteStatementStore, "latest", counted)
    assert service.results() == expected
    assert read == []
    storage.runs.put(storage.runs.all()[5].model_copy(update={"level": "half"}))
    assert service.results()[5].level == "half", "what changed since is not missed"


def test_only_the_newest_are_read_ahead(storage: Storage) -> None:
    service = Queries(storage, load_published())
    list(service.recall(10))
    assert {run_id for run_id, _ in service._kept} == {f"r{k}" for k in range(110, 120)}


def test_it_makes_rows_each_time_they_are_wanted_and_ends_at_once(storage: Storage) -> None:
    wanted = threading.Event()
    service = Queries(storage, load_published(), hurry=wanted.set)
    warming = Warming(partial(warmed, service, wanted), wanted)
    warming.start()
    try:
        for change in ("half", "quarter"):
            for run in storage.runs.all():
                storage.runs.put(run.model_copy(update={"level": change}))
            while (found := service.rows(RunQuery())).pending:
                pass
            assert {row.level for row in found.rows} == {change}
    finally:
        warming.stop()
    assert not any(thread.name == "warming" for thread in threading.enumerate())


def test_it_may_end_before_it_has_begun_or_while_it_works(storage: Storage) -> None:
    for begin in (False, True):
        wanted = threading.Event()
        warming = Warming(partial(warmed, Queries(storage, load_published()), wanted), wanted)
        if begin:
            warming.start()
        warming.stop()
        assert not any(thread.name == "warming" for thread in threading.enumerate())
