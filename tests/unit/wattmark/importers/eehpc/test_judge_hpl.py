"""An output, counters or a summary that were changed, or a counter that is gone: no figure comes out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from wattmark.importers.bring_in import import_source
from wattmark.importers.eehpc.eehpc import EEHPC
from wattmark.importers.importer import Choices
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate
from wattmark.results.ranking_bars import CLAIMS, why_not_ranked
from wattmark.results.result import Result

from .conftest import write_counters

Change = Callable[[Path], None]


def result_of(folder: Path, storage: Storage) -> Result:
    """Import a folder and evaluate its run by level 3."""
    first = import_source(EEHPC, folder, storage.samples, storage.runs, Choices())[0]
    assert first.error is None
    run = storage.runs.get(first.run_id or "")
    assert run is not None
    return evaluate(run, storage.samples, "eehpc-l3")


def outcome(result: Result, rule: str) -> str:
    (verdict,) = (verdict for verdict in result.verdicts if verdict.rule == rule)
    return verdict.outcome


def edit(name: str, pattern: str, text: str) -> Change:
    def change(folder: Path) -> None:
        path = folder / name
        changed, count = re.subn(pattern, text, path.read_text())
        assert count
        path.write_text(changed)

    return change


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (edit("hpl.log", r"5\.238e\+06", "5.762e+06"), "import-work-rate"),
        (edit("hpl.log", r"WC0          1262592", "WC0          1362592"), "import-work-rate"),
        (edit("hpl.log", r"256\.20", "232.91"), "import-duration"),
        (edit("hpl.log", r"11:22:27", "11:22:02"), "import-duration"),
        (lambda folder: write_counters(folder / "pdus.parquet", without=(245, 1)), "import-published-figure"),
        (edit("summary.txt", r"33\.804 GFLOPS", "37.184 GFLOPS"), "import-published-figure"),
    ],
    ids=["Gflops x 1.1", "order", "time", "stamp", "a counter gone", "summary x 1.1"],
)
def test_hpl_that_denies_itself_gives_no_figure(change: Change, rule: str, folder: Path, storage: Storage) -> None:
    change(folder)
    result = result_of(folder, storage)
    assert outcome(result, rule) == "fail"
    assert result.power is result.efficiency is result.throughput is None
    assert all(why_not_ranked(result, claim) is not None for claim in CLAIMS)


def test_untouched_hpl_fails_nothing(folder: Path, storage: Storage) -> None:
    result = result_of(folder, storage)
    judged = {v.rule: v.outcome for v in result.verdicts if v.rule.startswith("import-")}
    assert judged == dict.fromkeys(
        ("import-work-rate", "import-duration", "import-published-figure", "import-unread-lines"), "pass"
    )
    assert result.efficiency is not None
