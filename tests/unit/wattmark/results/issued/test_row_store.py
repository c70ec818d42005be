"""Rows are written with what issues a result, and never outlive a change of what they sum up."""

from __future__ import annotations

from pathlib import Path

import pytest
from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.published.library import load_published
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.results.pages.listing import RunQuery, RunRows
from wattmark.results.pages.row import run_row
from wattmark.results.pages.run_pages import RunPages
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.store.query import query
from wattmark_drivers.clock import SystemClock

from tests.stored_run import BEGIN_NS, make_run


def run(k: int) -> RunRecord:
    return make_run(f"r{k}", window_s=90, configuration=f"c{k}", created_ns=BEGIN_NS + k, stated_throughput=8000.0 + k)


@pytest.fixture
def storage(storage: Storage) -> Storage:
    issuer = Issuer(storage, Evaluations(storage), SystemClock())
    for k in range(3):
        storage.runs.put(run(k))
        issuer.first(run(k))
    return storage


def listed(storage: Storage) -> RunRows:
    """List the runs as a service does that was started just now."""
    return RunPages(storage, Evaluations(storage)).rows(RunQuery(sort="created"))


def column(storage: Storage, sql: str) -> list[object]:
    with storage.database.snapshot() as connection:
        return [value for (value,) in query(connection, sql)]


def test_rows_sum_up_what_the_results_say(storage: Storage) -> None:
    assert listed(storage).rows == [run_row(result) for result in Evaluations(storage).results()]


def test_results_of_a_workload_are_those_of_all_that_ran_it(storage: Storage) -> None:
    storage.runs.put(run(3).model_copy(update={"workload": "other"}))
    evaluations = Evaluations(storage)
    choices = Comparisons(evaluations, load_published).choices()
    assert [result.run_id for result in evaluations.results(workload="other")] == ["r3"]
    assert evaluations.results(workload="w") == [result for result in evaluations.results() if result.workload == "w"]
    assert {(run.workload, run.measured) for run in choices if run.measured} == {("w", 3), ("other", 1)}


def test_issued_results_have_their_rows_and_figures(storage: Storage) -> None:
    assert column(storage, "SELECT run_id FROM result_row ORDER BY run_id") == ["r0", "r1", "r2"]
    throughput = "SELECT value FROM figure WHERE quantity = 'throughput' ORDER BY run_id, version"
    assert column(storage, throughput) == [8000.0, 8001.0, 8002.0]
    Issuer(storage, Evaluations(storage), SystemClock()).recompute("r2", "Ann", "again")
    assert column(storage, "SELECT version FROM result_row ORDER BY run_id") == [1, 1, 2]
    assert column(storage, throughput) == [8000.0, 8001.0, 8002.0, 8002.0]


def test_a_result_that_is_not_issued_after_all_has_no_row(storage: Storage) -> None:
    def undone(inside: Storage) -> None:
        inside.runs.put(run(3))
        Issuer(inside, Evaluations(inside), SystemClock()).first(run(3))
        assert column(inside, "SELECT version FROM result_row WHERE run_id = 'r3'") == [1]
        raise KeyError

    with pytest.raises(KeyError):
        storage.all_or_nothing(undone)
    assert column(storage, "SELECT run_id FROM figure WHERE run_id = 'r3'") == []
    assert [row.run_id for row in listed(storage).rows] == ["r0", "r1", "r2"]


def test_a_changed_record_is_listed_as_it_is_now(storage: Storage) -> None:
    storage.runs.put(run(1).model_copy(update={"level": "half"}))
    assert [row.level for row in listed(storage).rows] == ["all", "half", "all"]
    assert storage.results.unissued() == ["r1"]
    storage.runs.put(run(1))
    Issuer(storage, Evaluations(storage), SystemClock()).complete_rows()
    assert storage.results.unissued() == []


def test_the_answer_is_the_json_of_its_rows(storage: Storage) -> None:
    storage.annotations.tag(["r1"], ["Winter"], [])
    storage.runs.put(run(3).model_copy(update={"status": RunStatus.FAILED, "reason": "No meter."}))
    for asked in RunQuery(), RunQuery(limit=2), RunQuery(text="winter"), RunQuery(status=RunStatus.FAILED):
        service = RunPages(storage, Evaluations(storage))
        assert service.rows_json(asked) == service.rows(asked).model_dump_json().encode()


def test_runs_that_go_and_come_back(storage: Storage) -> None:
    listed(storage)
    storage.runs.trash(["r1"], 1)
    assert [row.run_id for row in listed(storage).rows] == ["r0", "r2"]
    storage.runs.restore(["r1"])
    assert [row.run_id for row in listed(storage).rows] == ["r0", "r1", "r2"]
    storage.delete_run("r1")
    assert column(storage, "SELECT DISTINCT run_id FROM figure") == ["r0", "r2"]
    assert [row.run_id for row in listed(storage).rows] == ["r0", "r2"]


def test_a_damaged_row_is_not_shown(storage: Storage) -> None:
    sound = listed(storage)
    spoil = "UPDATE result_row SET line = replace(line, '\"repeat\":1', '\"repeat\":7') WHERE run_id = 'r0'"
    storage.database.write(lambda connection: query(connection, spoil))
    assert listed(storage) == sound


def test_reading_alone_keeps_nothing_and_answers(storage: Storage, tmp_path: Path) -> None:
    beside = open_storage(tmp_path / "data", read_only=True)
    try:
        assert len(RunPages(beside, Evaluations(beside)).rows(RunQuery()).rows) == 3
    finally:
        beside.close()


def test_a_page_tells_how_many_there_are(storage: Storage) -> None:
    page = RunPages(storage, Evaluations(storage)).rows(RunQuery(sort="created", text="c", offset=1, limit=1))
    assert (page.total, page.matching, [row.run_id for row in page.rows], page.next_offset) == (3, 3, ["r1"], 2)
