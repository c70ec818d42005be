"""Rows of the list of runs outlive a restart, and never a change of what they sum up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark.appliance import run_list
from wattmark.appliance.queries import Queries
from wattmark.appliance.statements import Statements
from wattmark.published.library import load_published
from wattmark.runs.listing import RunQuery, RunRows
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.row import run_row
from wattmark.storage.open import Storage, open_storage
from wattmark.storage.query import query
from wattmark_drivers.clock import SystemClock


def run(k: int) -> RunRecord:
    return RunRecord(
        run_id=f"r{k}", server="s", configuration=f"c{k}", workload="w", level="all", status=RunStatus.COMPLETE,
        created_ns=1_700_000_000_000_000_000 + k, unit="signs", stated_throughput=8000.0 + k,
        window_begin_ns=1_700_000_000_000_000_000, window_end_ns=1_700_000_090_000_000_000,
    )  # fmt: skip


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    opened = open_storage(tmp_path)
    statements = Statements(opened, Queries(opened, load_published()), SystemClock())
    for k in range(3):
        opened.runs.put(run(k))
        statements.first(run(k))
    yield opened
    opened.close()


@pytest.fixture
def summed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The runs whose rows are made."""
    seen: list[str] = []
    monkeypatch.setattr(run_list, "run_row", lambda result: (seen.append(result.run_id), run_row(result))[1])
    return seen


def listed(storage: Storage) -> RunRows:
    """List the runs as a service does that was started just now."""
    found = Queries(storage, load_published()).rows(RunQuery(sort="created"))
    storage.database.write(lambda _: None)  # rows are kept by then
    return found


def test_rows_sum_up_what_the_results_say(storage: Storage) -> None:
    assert listed(storage).rows == [run_row(result) for result in Queries(storage, load_published()).results()]


def test_results_of_a_workload_are_those_of_all_that_ran_it(storage: Storage) -> None:
    storage.runs.put(run(3).model_copy(update={"workload": "other"}))
    found = Queries(storage, load_published())
    assert [one.run_id for one in found.results(workload="other")] == ["r3"]
    assert found.results(workload="w") == [one for one in found.results() if one.workload == "w"]
    assert {(one.workload, one.measured) for one in found.choices() if one.measured} == {("w", 3), ("other", 1)}


def test_stated_runs_are_summed_up_once(storage: Storage, summed: list[str]) -> None:
    first = listed(storage)
    assert sorted(summed) == ["r0", "r1", "r2"]
    assert listed(storage) == first
    assert len(summed) == 3


def test_a_changed_record_and_a_new_statement_make_their_rows_anew(storage: Storage, summed: list[str]) -> None:
    listed(storage)
    summed.clear()
    storage.runs.put(run(1).model_copy(update={"level": "half"}))
    Statements(storage, Queries(storage, load_published()), SystemClock()).recompute("r2", "Ann", "again")
    assert [row.level for row in listed(storage).rows] == ["all", "half", "all"]
    assert sorted(summed) == ["r1", "r2"]


def test_runs_that_go_and_come_back(storage: Storage) -> None:
    listed(storage)
    storage.runs.trash(["r1"], 1)
    assert [row.run_id for row in listed(storage).rows] == ["r0", "r2"]
    storage.runs.restore(["r1"])
    assert [row.run_id for row in listed(storage).rows] == ["r0", "r1", "r2"]
    Queries(storage, load_published()).delete("r1")
    assert [row.run_id for row in listed(storage).rows] == ["r0", "r2"]


def test_a_damaged_row_is_made_again(storage: Storage, tmp_path: Path, summed: list[str]) -> None:
    sound = listed(storage)
    spoil = "UPDATE run_row SET row = replace(row, '\"repeat\":1', '\"repeat\":7') WHERE run_id = 'r0'"
    storage.database.write(lambda connection: query(connection, spoil))
    storage.close()
    summed.clear()
    again = open_storage(tmp_path)
    assert listed(again) == sound
    again.close()
    assert summed == ["r0"]


def test_another_build_makes_its_own_rows(
    storage: Storage, tmp_path: Path, summed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(storage)
    storage.close()
    summed.clear()
    monkeypatch.setattr(run_list, "build", lambda: "9.9 build 000000000000")
    upgraded = open_storage(tmp_path)
    listed(upgraded)
    upgraded.close()
    assert sorted(summed) == ["r0", "r1", "r2"]


def test_rows_that_wait_are_counted_and_made_in_the_background(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_list, "PATIENCE_S", 0.0)
    monkeypatch.setattr(run_list, "STEP", 1)
    calls: list[None] = []
    service = Queries(storage, load_published(), hurry=lambda: calls.append(None))
    first = service.rows(RunQuery(sort="created"))
    assert ([row.run_id for row in first.rows], first.total, first.pending) == (["r2"], 3, 2), "the newest first"
    assert len(calls) == 1
    assert len(service.choices()) == len(Queries(storage, load_published()).choices()), "choices are never of a part"
    assert len(list(service.make_rows())) == 0
    done = service.rows(RunQuery(sort="created"))
    assert ([row.run_id for row in done.rows], done.total, done.pending) == (["r0", "r1", "r2"], 3, 0)
    assert len(calls) == 1


def test_rows_of_another_build_are_shown_until_this_one_has_made_its_own(
    storage: Storage, summed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = listed(storage)
    summed.clear()
    monkeypatch.setattr(run_list, "build", lambda: "9.9 build 000000000000")
    monkeypatch.setattr(run_list, "PATIENCE_S", 0.0)
    monkeypatch.setattr(run_list, "STEP", 1)
    upgraded = Queries(storage, load_published())
    first = upgraded.rows(RunQuery(sort="created"))
    assert (first.rows, first.pending, summed) == (before.rows, 2, ["r2"])
    steps = list(upgraded.make_rows())
    assert len(steps) == 2
    assert upgraded.rows(RunQuery(sort="created")) == before
    assert summed == ["r2", "r1", "r0"]


def test_a_row_made_before_a_change_is_not_kept(storage: Storage, summed: list[str]) -> None:
    stale = listed(storage).rows
    storage.runs.put(run(0).model_copy(update={"level": "half"}))
    storage.run_rows.keep(stale, run_list.build(), 0)
    assert [row.level for row in listed(storage).rows] == ["half", "all", "all"]


def test_reading_alone_keeps_nothing_and_answers(storage: Storage, tmp_path: Path) -> None:
    beside = open_storage(tmp_path, read_only=True)
    try:
        assert len(Queries(beside, load_published()).rows(RunQuery()).rows) == 3
    finally:
        beside.close()
