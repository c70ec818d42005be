"""However many runs a folder holds, who goes through all of them has one page of results in memory."""

from __future__ import annotations

import gc
import io
from collections.abc import Iterator

import pytest
from wattmark.archives.data_folder import Archives
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued import evaluations
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.results.pages.listing import ResultQuery
from wattmark.results.result import Result
from wattmark_drivers.clock import SystemClock

from tests.stored_run import BEGIN_NS, S, make_run

RUNS = 90
PAGE = 10


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    """A folder of runs with issued results, which no test changes."""
    opened = open_storage(tmp_path_factory.mktemp("data"))
    issuer = Issuer(opened, Evaluations(opened), SystemClock())
    for k in range(RUNS):
        run = make_run(
            f"r{k:02}", created_ns=BEGIN_NS + k * S, window_s=90, configuration=f"c{k % 3}", stated_throughput=8e3 + k
        )
        opened.runs.put(run)
        issuer.first(run)
    yield opened
    opened.close()


@pytest.fixture
def sources(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> Sources:
    monkeypatch.setattr(evaluations, "PAGE", PAGE)
    monkeypatch.setattr(evaluations, "MOST_CACHED", PAGE)
    return Sources.of(storage)


@pytest.fixture(autouse=True)
def nothing_older_is_counted(storage: Storage, sources: Sources) -> Iterator[None]:
    """Leave what exists before the test to itself: the modules of a long run take a second to go through."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def alive() -> int:
    """Count the results made in this test that anything in this process holds."""
    gc.collect()
    return sum(isinstance(entry, Result) for entry in gc.get_objects())


def test_one_page_of_results_is_there_at_once(sources: Sources) -> None:
    before, most, seen = alive(), 0, []
    for index, (run, result) in enumerate(sources.results.each()):
        seen.append((run.run_id, result.run_id))
        if index % 7 == 0:
            most = max(most, alive() - before)
    assert seen == [(f"r{k:02}", f"r{k:02}") for k in range(RUNS)]
    assert 0 < most <= 2 * PAGE


def test_a_page_of_the_api_reads_no_other_results(sources: Sources) -> None:
    before = alive()
    page = sources.pages.page(ResultQuery(limit=5, offset=80))
    assert [result.run_id for result in page.results] == [f"r{k:02}" for k in range(9, 4, -1)]
    assert (page.total, page.next_offset) == (RUNS, 85)
    assert alive() - before <= PAGE


def test_few_results_are_kept_for_who_asks_next(sources: Sources) -> None:
    before, kept_whole = alive(), sources.results.results()
    assert [result.run_id for result in kept_whole] == [f"r{k:02}" for k in range(RUNS)]
    assert sources.results.results() == kept_whole
    sources.comparisons.compare("w", "all")
    del kept_whole
    assert alive() - before <= PAGE


def test_an_archive_of_all_runs_keeps_none_of_their_results(storage: Storage, sources: Sources) -> None:
    archives = Archives(storage, sources.results, Issuer(storage, sources.results, SystemClock()))
    before = alive()
    archives.write(io.BytesIO(), archives.choose((), None, every=True), "Lab")
    assert alive() == before
