"""The report of many runs: all of them in its tables, the newest in detail, and never all results at once."""

from __future__ import annotations

import gc
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from wattmark.core.errors import NotFound
from wattmark.reports import report_data
from wattmark.reports.files.report_file import write_report
from wattmark.reports.report_data import report_of
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued import evaluations
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.results.result import Result
from wattmark.runs.record import MeterRecord
from wattmark_drivers.clock import SystemClock

from tests.stored_run import BEGIN_NS, S, make_run

RUNS = 60
PAGE = 10


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    """Runs of 12 configurations of two servers with 4 and 8 DIMMs at two levels, 36 of them in a campaign."""
    opened = open_storage(tmp_path_factory.mktemp("data"))
    issuer = Issuer(opened, Evaluations(opened), SystemClock())
    for k in range(RUNS):
        build: dict[str, Any] = {"dimm_count": 4 * (1 + k % 2), "firmware": {"bios": "1.4"}}
        run = make_run(
            f"r{k:02}", window_s=90, server=f"s{k % 2}", configuration=f"c{k % 12}", level=f"{1 + k % 4} threads",
            created_ns=BEGIN_NS + k * S, stated_throughput=8000.0 + k, configuration_snapshot=build,
            campaign_id="night" if k % 5 < 3 else None, order=-k,
            meters=(MeterRecord(name=f"m{k % 3}", model="x", title="X"),),
        )  # fmt: skip
        opened.runs.put(run)
        issuer.first(run)
    yield opened
    opened.close()


@pytest.fixture
def sources(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> Sources:
    monkeypatch.setattr(evaluations, "PAGE", PAGE)
    monkeypatch.setattr(evaluations, "MOST_CACHED", PAGE)
    return Sources.of(storage)


class Counting(io.BytesIO):
    """A file that counts the results in memory while it is written."""

    def __init__(self) -> None:
        super().__init__()
        self.before = _alive()
        self.most = 0

    def writelines(self, lines: Iterable[Any]) -> None:
        for position, line in enumerate(lines):
            self.write(line)
            if position % 20 == 0:
                self.most = max(self.most, _alive() - self.before)


def _alive() -> int:
    gc.collect()
    return sum(isinstance(obj, Result) for obj in gc.get_objects())


def _text(sources: Sources, *args: Any) -> str:
    file = io.BytesIO()
    write_report(report_of(sources, *args), file)
    return file.getvalue().decode()


def _detailed(text: str) -> list[str]:
    return re.findall(r"<(?:h3|summary)>Run (r\d\d):", text)


def test_all_runs_stand_in_the_tables_and_the_newest_in_detail(
    sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_data, "MOST_DETAILED", 7)
    text = _text(sources)
    assert all(f">r{k:02}</td>" in text for k in range(RUNS))
    assert _detailed(text) == [f"r{k}" for k in range(53, 60)]
    assert "The details of the 53 oldest runs are omitted" in text
    assert len(re.findall('<figure class="board"><strong>c\\d+<', text)) == 12
    assert len(re.findall("<summary>Meter m", text)) == 3
    assert len(_detailed(_text(sources, None, tuple(f"r{k:02}" for k in range(9))))) == 9, "who names runs gets them"


def test_a_campaign_is_told_in_its_own_order(sources: Sources) -> None:
    text = _text(sources, "night")
    assert _detailed(text) == [f"r{k:02}" for k in reversed(range(RUNS)) if k % 5 < 3]
    assert "omitted. For these" not in text


def test_a_run_that_is_named_and_not_there_is_said(sources: Sources) -> None:
    with pytest.raises(NotFound):
        report_of(sources, None, ("r01", "nowhere"))


def test_the_results_of_a_page_or_a_group_are_there_at_once(sources: Sources) -> None:
    file = Counting()
    write_report(report_of(sources), file)
    assert len(_detailed(file.getvalue().decode())) == RUNS
    assert 0 < file.most <= 3 * PAGE


def test_the_answer_stands_first_and_the_details_last(sources: Sources) -> None:
    text = _text(sources)
    places = [
        text.index(f'<section id="{name}">') for name in ("summary", "configurations", "methods", "results", "runs")
    ]
    assert places == sorted(places)
    assert 'class="lead"' in text[places[0] : places[1]]


def test_a_report_of_one_run_opens_with_its_figures(sources: Sources) -> None:
    text = _text(sources, None, ("r03",))
    assert "<h1>s1 · c3</h1>" in text
    assert 'class="value">8\u202f000 signs/s<' in text, "the ± of counting alone gives no more than three digits"
    assert not re.search(r"\d{4}-\d\d-\d\dT", text), "no ISO stamps"
    assert not re.search(r">[a-z0-9]+_[a-z0-9_]+<", text), "no names of fields"


def test_what_was_not_checked_stands_below_what_was_judged(sources: Sources) -> None:
    checks = _text(sources, None, ("r03",)).split(">Checks<")[1].split("</section>")[0]
    rows, below = checks.split("</table>", 1)
    assert "not checked" not in rows
    assert "Not checked:" in below
    assert "Settled: The plan does not wait for steady power." in below
