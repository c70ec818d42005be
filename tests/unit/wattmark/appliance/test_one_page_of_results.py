"""However many runs a folder holds, who goes through all of them has one page of results in memory."""

from __future__ import annotations

import gc
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from wattmark.appliance import evaluations
from wattmark.appliance.archives import Archives
from wattmark.appliance.queries import Queries
from wattmark.appliance.statements import Statements
from wattmark.published.library import load_published
from wattmark.runs.listing import ResultQuery
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.result import Result
from wattmark.storage.open import Storage, open_storage
from wattmark_drivers.clock import SystemClock

BEGIN_NS = 1_700_000_000_000_000_000
RUNS = 90
PAGE = 10


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    opened = open_storage(tmp_path)
    statements = Statements(opened, Queries(opened, load_published()), SystemClock())
    for k in range(RUNS):
        run = RunRecord(
            run_id=f"r{k:02}", server="s", configuration=f"c{k % 3}", workload="w", level="all", unit="signs",
            status=RunStatus.COMPLETE, created_ns=BEGIN_NS + k * 10**9, stated_throughput=8000.0 + k,
            window_begin_ns=BEGIN_NS, window_end_ns=BEGIN_NS + 90 * 10**9,
        )  # fmt: skip
        opened.runs.put(run)
        statements.first(run)
    yield opened
    opened.close()


@pytest.fixture
def queries(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> Queries:
    monkeypatch.setattr(evaluations, "PAGE", PAGE)
    monkeypatch.setattr(evaluations, "MOST_KEPT", PAGE)
    return Queries(storage, load_published())


def alive() -> int:
    """Count the results that anything in this process holds."""
    gc.collect()
    return sum(isinstance(thing, Result) for thing in gc.get_objects())


def test_one_page_of_results_is_there_at_once(queries: Queries) -> None:
    before, most, seen = alive(), 0, []
    for at, (run, result) in enumerate(queries.each()):
        seen.append((run.run_id, result.run_id))
        if at % 7 == 0:
            most = max(most, alive() - before)
    assert seen == [(f"r{k:02}", f"r{k:02}") for k in range(RUNS)]
    assert 0 < most <= 2 * PAGE


def test_a_page_of_the_api_reads_no_other_results(queries: Queries) -> None:
    before = alive()
    page = queries.page(ResultQuery(limit=5, offset=80))
    assert [result.run_id for result in page.results] == [f"r{k:02}" for k in range(9, 4, -1)]
    assert (page.total, page.next_offset) == (RUNS, 85)
    assert alive() - before <= PAGE


def test_few_results_are_kept_for_who_asks_next(queries: Queries) -> None:
    before, kept_whole = alive(), queries.results()
    assert [result.run_id for result in kept_whole] == [f"r{k:02}" for k in range(RUNS)]
    assert queries.results() == kept_whole
    queries.compare("w", "all")
    del kept_whole
    assert alive() - before <= PAGE


def test_an_archive_of_all_runs_keeps_none_of_their_results(storage: Storage, queries: Queries) -> None:
    archives = Archives(storage, queries, Statements(storage, queries, SystemClock()))
    before = alive()
    archives.write(io.BytesIO(), archives.choose((), None, every=True), "Lab")
    assert alive() == before
