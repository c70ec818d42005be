from __future__ import annotations

import math

import pytest
from wattmark.core.errors import StoreError
from wattmark.results.data_folder import Storage
from wattmark.runs.damaged_run import DamagedRun
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import Phase, RunRecord, RunStatus, ThroughputInterval


def record(run_id: str, created_ns: int = 0, status: RunStatus = RunStatus.COMPLETE, **fields: object) -> RunRecord:
    base = {"server": "r1", "configuration": "8 × FB-DIMM", "workload": "rsa2048", "level": "100 %", "unit": "signs"}
    return RunRecord(run_id=run_id, created_ns=created_ns, status=status, **{**base, **fields})  # type: ignore[arg-type]


def test_a_record_comes_back_as_it_was(storage: Storage) -> None:
    run = record(
        "a",
        phases=(Phase(name=PhaseName.MEASURE, begin_ns=1, end_ns=None),),
        throughput=(ThroughputInterval(begin_ns=1_700_000_000_000_000_001, end_ns=2, amount=0.1),),
        configuration_snapshot={"modules": [{"slot": "A1", "capacity_gib": 4}], "title": "ü"},
        stated_throughput=1e-30,
    )
    storage.runs.put(run)
    assert storage.runs.get("a") == run
    assert storage.runs.get("b") is None


def test_records_are_listed_oldest_first_and_replaced_by_id(storage: Storage) -> None:
    for run in (record("b", 2), record("a", 3), record("c", 1), record("b", 2, RunStatus.FAILED)):
        storage.runs.put(run)
    assert [(run.run_id, run.status.value) for run in storage.runs.all()] == [
        ("c", "complete"),
        ("b", "failed"),
        ("a", "complete"),
    ]
    storage.runs.delete("b")
    assert [run.run_id for run in storage.runs.all()] == ["c", "a"]


def test_runs_that_were_recording_become_interrupted_once(storage: Storage) -> None:
    for run in (record("a", 2, RunStatus.RUNNING), record("b", 1, RunStatus.RUNNING), record("c", 3)):
        storage.runs.put(run)
    assert storage.runs.mark_interrupted() == ["b", "a"]
    assert storage.runs.mark_interrupted() == []
    broken = storage.runs.get("a")
    assert broken is not None
    assert broken.status is RunStatus.INTERRUPTED
    assert broken.reason is not None
    assert "kept" in broken.reason
    untouched = storage.runs.get("c")
    assert untouched is not None
    assert untouched.status is RunStatus.COMPLETE


def test_documents_are_kept_by_kind_and_name(storage: Storage) -> None:
    storage.runs.put_document("campaign", "x", {"n": 1})
    storage.runs.put_document("campaign", "x", {"n": 2, "ü": [None, True, 1.5]})
    storage.runs.put_document("campaign", "a", {})
    storage.runs.put_document("bench", "x", {"n": 3})
    assert storage.runs.documents("campaign") == {"a": {}, "x": {"n": 2, "ü": [None, True, 1.5]}}
    assert storage.runs.documents("absent") == {}


@pytest.mark.parametrize(("text", "detail"), [("{", "Invalid JSON"), ('{"run_id": "a"}', "Field required")])
def test_an_unreadable_record_is_named_and_harms_no_other(storage: Storage, text: str, detail: str) -> None:
    storage.runs.put(record("a"))
    storage.runs.put(record("b"))
    change = "UPDATE run SET record = ? WHERE run_id = 'a'"
    storage.database.write(lambda connection: connection.execute(change, (text,)).get)
    assert storage.runs.all() == [record("b")]
    with pytest.raises(StoreError, match=rf"^The record of run a in .* cannot be read \(.*{detail}.*backup"):
        storage.runs.get("a")
    (broken,) = (run for run in storage.runs.listed() if isinstance(run, DamagedRun))
    assert (broken.run_id, broken.server, broken.status) == ("a", "r1", RunStatus.FAILED)
    assert detail in (broken.reason or "")


def test_a_run_with_a_damaged_record_can_be_deleted(storage: Storage) -> None:
    storage.runs.put(record("a", status=RunStatus.RUNNING))
    storage.database.write(lambda connection: connection.execute("UPDATE run SET record = '{'").get)
    assert storage.runs.mark_interrupted() == []
    storage.runs.trash(["a"], 1)
    assert storage.runs.listed() == []
    assert [(run.run_id, trashed_ns) for run, trashed_ns in storage.runs.trashed()] == [("a", 1)]
    storage.runs.delete("a")
    assert storage.runs.trashed() == []


def test_a_record_that_could_not_be_read_again_is_not_written(storage: Storage) -> None:
    storage.runs.put(record("a"))
    for name, value in (("stated_throughput", math.inf), ("disclosure", {"x": math.nan}), ("repeat", "many")):
        with pytest.raises(StoreError, match=rf"^The record of run a was not written: .*{name}"):
            storage.runs.put(record("a").model_copy(update={name: value}))
    assert storage.runs.get("a") == record("a")


@pytest.mark.parametrize("columns", ["created_ns = -5", "created_ns = 9223372036854775807"])
def test_a_damaged_record_whose_columns_are_damaged_as_well_is_listed(storage: Storage, columns: str) -> None:
    storage.runs.put(record("a"))
    storage.database.write(lambda connection: connection.execute(f"UPDATE run SET record = '{{', {columns}").get)
    (broken,) = storage.runs.listed()
    assert isinstance(broken, DamagedRun)
    assert broken.created_ns >= 0


def test_a_page_of_documents_is_read_without_the_others(storage: Storage) -> None:
    for name, started_s in {"b": 20.5, "a": 30, "c": None, "d": 20.5}.items():
        storage.runs.put_document("campaign", name, {"started_s": started_s})
    storage.runs.put_document("start", "a", {"started_s": 99})
    assert storage.runs.document_names("campaign", "started_s") == ["a", "b", "d", "c"]
    assert storage.runs.some_documents("campaign", ["c", "a", "x"]) == {
        "a": {"started_s": 30},
        "c": {"started_s": None},
    }
