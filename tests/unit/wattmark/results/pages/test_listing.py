"""The list of runs: what a filter leaves, in which order, and where a page is cut."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import ValidationError
from wattmark.analysis.verdict import Verdict
from wattmark.results.data_folder import Storage
from wattmark.results.issued.row_store import Beside
from wattmark.results.pages.listing import COLUMNS, RunQuery
from wattmark.results.pages.row import RunRow, run_row
from wattmark.results.result import BudgetedQuantity, Result
from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.record import RunRecord, RunStatus

Listed = Callable[..., list[str]]
Counts = Callable[..., dict[str, dict[str, int]]]


def result(run_id: str, configuration: str, power_w: float | None, **rest: object) -> Result:
    power = None if power_w is None else BudgetedQuantity(value=power_w, unit="W")
    fields = {
        "run_id": run_id, "server": "s1", "configuration": configuration, "workload": "rsa", "level": "all",
        "repeat": 1, "status": RunStatus.COMPLETE, "created": f"2026-01-0{run_id[1]}T00:00:00Z", "power": power,
        "unit": "signs", "meter": "wall", "simulated": False,
        "traceable": True, "source": "measured",
    }  # fmt: skip
    return Result.model_validate(fields | rest)


def row(run_id: str, configuration: str, power_w: float | None, **rest: object) -> RunRow:
    return run_row(result(run_id, configuration, power_w, **rest))


RESULTS = [
    result("r1", "fb4", 250.0),
    result("r2", "fb16", None, status=RunStatus.FAILED, reason="No meter."),
    result("r3", "fb2", 240.0, simulated=True, server="s2"),
    result("r4", "fb4", 260.0, source="imported: MLPerf x"),
]
SAID = {"r3": Annotation(tags=("Winter",), note="Fan 3")}


@pytest.fixture
def beside() -> list[Beside]:
    named = {"run_id", "server", "configuration", "workload", "level", "status"}
    return [
        (RunRecord(**result.model_dump(include=named), created_ns=position, unit="signs"), result)
        for position, result in enumerate(RESULTS)
    ]


@pytest.fixture
def ids(storage: Storage, beside: list[Beside]) -> Listed:
    return lambda **asked: storage.results.chosen(RunQuery.model_validate(asked), beside, SAID)


@pytest.fixture
def counts(storage: Storage, beside: list[Beside]) -> Counts:
    def count(**asked: object) -> dict[str, dict[str, int]]:
        counted = storage.results.counted(RunQuery.model_validate(asked), beside, SAID)
        return {name: {value.value: value.n for value in values} for name, values in counted.items()}

    return count


def test_newest_first_unless_asked_otherwise(ids: Listed) -> None:
    assert ids() == ["r4", "r3", "r2", "r1"]


def test_a_group_stands_together_where_its_first_run_stands(ids: Listed) -> None:
    assert ids(group="configuration") == ["r4", "r1", "r3", "r2"]
    assert ids(group="server", sort="created") == ["r1", "r2", "r4", "r3"]


def test_a_page_may_end_within_a_group(ids: Listed) -> None:
    assert ids(group="configuration", sort="power")[:2] == ["r3", "r1"]


def test_each_value_is_counted_under_the_other_filters(counts: Counts) -> None:
    assert counts()["server"] == {"s1": 3, "s2": 1}
    of_s1 = counts(server="s1")
    assert of_s1["server"] == {"s1": 3, "s2": 1}, "its own filter leaves the other values to choose"
    assert of_s1["kind"] == {"imported": 1, "measured": 2}
    assert of_s1["status"] == {"complete": 2, "failed": 1}
    assert counts(server="s1", configuration="fb4")["configuration"] == {"s1/fb4": 2, "s1/fb16": 1, "s2/fb2": 1}


def test_a_search_counts_what_it_finds(counts: Counts) -> None:
    assert counts(text="winter")["configuration"] == {"s2/fb2": 1}
    assert counts()["campaign"] == {}, "runs without a campaign are of none"


def test_what_is_not_known_stands_last_in_both_directions(ids: Listed) -> None:
    assert ids(sort="power") == ["r3", "r1", "r4", "r2"]
    assert ids(sort="-power") == ["r4", "r1", "r3", "r2"]


def test_numbers_in_names_sort_by_size_and_equal_rows_keep_their_order(ids: Listed) -> None:
    assert ids(sort="configuration") == ["r3", "r1", "r4", "r2"]
    assert ids(sort="-configuration") == ["r2", "r1", "r4", "r3"]


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_sorts_every_row(ids: Listed, column: str) -> None:
    assert sorted(ids(sort=column)) == ["r1", "r2", "r3", "r4"]


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ({"server": "s2"}, ["r3"]),
        ({"kind": "imported"}, ["r4"]),
        ({"kind": "simulated"}, ["r3"]),
        ({"quality": "failed"}, ["r2"]),
        ({"status": "complete", "configuration": "fb4"}, ["r4", "r1"]),
        ({"tag": "Winter"}, ["r3"]),
        ({"text": "FAN fb2"}, ["r3"]),
        ({"text": "winter"}, ["r3"]),
        ({"text": "fan fb4"}, []),
    ],
)
def test_a_filter_leaves(ids: Listed, asked: dict[str, object], left: list[str]) -> None:
    assert ids(**asked) == left


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(ValidationError):
        RunQuery(sort="--power")


def test_a_run_is_sound_when_a_rule_passed_and_none_bars_it() -> None:
    passed = Verdict(rule="steady", value=1, limit=2, unit="", outcome="pass", text="x")
    failed = Verdict(rule="full-load", value=1, limit=2, unit="", outcome="fail", text="x")
    assert row("r1", "c", 1.0).quality == "open"
    assert row("r1", "c", 1.0, verdicts=(passed,)).quality == "sound"
    judged = row("r1", "c", 1.0, verdicts=(passed, failed))
    assert (judged.quality, judged.failed_rules) == ("partly", ("full-load",))
    assert judged.not_ranked == {"power": "below full load (rule full-load)"}
    assert row("r1", "c", 1.0, verdicts=(passed,), status=RunStatus.ABORTED).quality == "failed"
