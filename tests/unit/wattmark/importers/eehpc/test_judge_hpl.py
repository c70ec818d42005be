"""An output, counters or a summary that were changed, or a counter that is gone: no figure comes out."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from wattmark.importers.bring_in import import_source
from wattmark.importers.eehpc.eehpc import EEHPC
from wattmark.importers.importer import Choices
from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate
from wattmark.results.ranking_bars import CLAIMS, why_not_ranked
from wattmark.results.result import Result

from .conftest import READINGS_WH, write_counters

NOTHING_SAID = Choices()
Change = Callable[[Path], None]


def result_of(folder: Path, storage: Storage, choices: Choices = NOTHING_SAID) -> Result:
    """Import a folder and evaluate its run by level 3."""
    first = import_source(EEHPC, folder, storage.samples, storage.runs, choices)[0]
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
        (edit("summary.txt", r"154952\.640 W", "254952.640 W"), "import-average-power"),
    ],
    ids=["Gflops x 1.1", "order", "time", "stamp", "a counter gone", "summary x 1.1", "average power"],
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
        (
            *("import-work-rate", "import-duration", "import-published-figure", "import-average-power"),
            *("import-counted-twice", "import-standstill", "import-unread-lines"),
        ),
        "pass",
    )
    assert result.efficiency is not None


def total(readings: dict[tuple[int, int], tuple[float, float]]) -> dict[tuple[int, int], tuple[float, float]]:
    return {(0, 0): (sum(first for first, _ in readings.values()), sum(last for _, last in readings.values()))}


@pytest.mark.parametrize(
    ("change", "rule", "named"),
    [
        (
            lambda folder: write_counters(folder / "pdus.parquet", readings=READINGS_WH | total(READINGS_WH)),
            "import-counted-twice",
            "'pdus 0-0' counts what all others count together",
        ),
        (
            lambda folder: write_counters(folder / "copy.parquet"),
            "import-counted-twice",
            "16 of 32 counters hold the readings of another one",
        ),
        (
            lambda folder: write_counters(folder / "copy.parquet", column="energy_kWh", unit=1e-3),
            "import-counted-twice",
            "16 of 32 counters hold the readings of another one",
        ),
        (
            lambda folder: write_counters(folder / "pdus.parquet", stops={(246, 1): 100}),
            "import-standstill",
            "'pdus 246-1' does not change for 150 s of the core phase; usually it changes every 5 s",
        ),
    ],
    ids=["a total beside its parts", "a copy", "a copy in kWh", "a counter that stops"],
)
def test_counters_without_a_summary_that_count_wrongly_give_no_figure(
    change: Change, rule: str, named: str, folder: Path, storage: Storage
) -> None:
    """Nothing but the counters tells: the first three would double the power, the last would lose 5 % of it."""
    (folder / "summary.txt").unlink()
    change(folder)
    result = result_of(folder, storage, Choices(zone=ZoneInfo("Europe/Berlin")))
    assert outcome(result, rule) == "fail"
    assert result.power is None
    assert any(named in verdict.text for verdict in result.verdicts)


def test_every_output_of_hpl_beside_the_counters_is_a_run(folder: Path, storage: Storage) -> None:
    """A rehearsal 110 s before: the summary is that of the other one."""
    rehearsal = (folder / "hpl.log").read_text().replace("11:18:11", "11:16:21").replace("11:22:27", "11:20:37")
    (folder / "a.log").write_text(rehearsal)
    first, second = import_source(EEHPC, folder, storage.samples, storage.runs, Choices())
    assert "core phase begins at" in str(first.error)
    assert second.source == "claix-2023/gpu/hpl.log"
    assert any("holds several outputs of HPL: hpl.log is this run" in note for note in second.notes)


def test_an_output_that_cannot_be_read_is_refused_by_its_name(
    folder: Path, storage: Storage, unreadable: Callable[[str], None]
) -> None:
    (folder / "a.log").write_text((folder / "hpl.log").read_text())
    unreadable("a.log")
    kept, refused = import_source(EEHPC, folder, storage.samples, storage.runs, Choices())
    assert "a.log cannot be read: Permission denied." in str(refused.error)
    assert (kept.source, kept.error) == ("claix-2023/gpu", None)
