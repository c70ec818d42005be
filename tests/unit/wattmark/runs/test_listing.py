"""The list of runs: what a filter leaves, in which order, and where a page is cut."""

from __future__ import annotations

import pytest
from pydantic import ValidationError
from wattmark.runs.listing import COLUMNS, RunQuery, listed
from wattmark.runs.record import RunStatus
from wattmark.runs.result import Result, Verdict
from wattmark.runs.row import RunRow, run_row


def row(run_id: str, configuration: str, power_w: float | None, **rest: object) -> RunRow:
    told = {
        "run_id": run_id, "server": "s1", "configuration": configuration, "workload": "rsa", "level": "all",
        "repeat": 1, "status": RunStatus.COMPLETE, "created": f"2026-01-0{run_id[1]}T00:00:00Z", "power_w": power_w,
        "throughput_unit": "signs/s", "efficiency_unit": "signs/J", "meter": "wall", "simulated": False,
        "traceable": True, "source": "measured",
    }  # fmt: skip
    return run_row(Result.model_validate(told | rest))


ROWS = [
    row("r1", "fb4", 250.0),
    row("r2", "fb16", None, status=RunStatus.FAILED, reason="No meter."),
    row("r3", "fb2", 240.0, simulated=True, server="s2").model_copy(update={"tags": ("Winter",), "note": "Fan 3"}),
    row("r4", "fb4", 260.0, source="imported: MLPerf x"),
]


def ids(**asked: object) -> list[str]:
    return [one.run_id for one in listed(ROWS, RunQuery.model_validate(asked)).rows]


def test_newest_first_unless_asked_otherwise() -> None:
    assert ids() == ["r4", "r3", "r2", "r1"]


def test_what_is_not_known_stands_last_in_both_directions() -> None:
    assert ids(sort="power") == ["r3", "r1", "r4", "r2"]
    assert ids(sort="-power") == ["r4", "r1", "r3", "r2"]


def test_numbers_in_names_sort_by_size_and_equal_rows_keep_their_order() -> None:
    assert ids(sort="configuration") == ["r3", "r1", "r4", "r2"]
    assert ids(sort="-configuration") == ["r2", "r1", "r4", "r3"]


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_sorts_every_row(column: str) -> None:
    assert sorted(ids(sort=column)) == ["r1", "r2", "r3", "r4"]


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ({"server": "s2"}, ["r3"]),
        ({"kind": "imported"}, ["r4"]),
        ({"kind": "simulated"}, ["r3"]),
        ({"standing": "failed"}, ["r2"]),
        ({"status": "complete", "configuration": "fb4"}, ["r4", "r1"]),
        ({"tag": "Winter"}, ["r3"]),
        ({"text": "FAN fb2"}, ["r3"]),
        ({"text": "winter"}, ["r3"]),
        ({"text": "fan fb4"}, []),
    ],
)
def test_a_filter_leaves(asked: dict[str, object], left: list[str]) -> None:
    assert ids(**asked) == left


def test_a_page_tells_how_many_there_are() -> None:
    page = listed(ROWS, RunQuery(sort="created", configuration="fb4", offset=1, limit=1))
    assert (page.total, page.matching, [one.run_id for one in page.rows]) == (4, 2, ["r4"])


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(ValidationError):
        RunQuery(sort="--power")


def test_a_run_is_sound_when_a_rule_passed_and_none_bars_it() -> None:
    passed = Verdict(rule="steady", value=1, limit=2, outcome="pass", text="x")
    failed = Verdict(rule="full-load", value=1, limit=2, outcome="fail", text="x")
    assert row("r1", "c", 1.0).standing == "open"
    assert row("r1", "c", 1.0, verdicts=(passed,)).standing == "sound"
    judged = row("r1", "c", 1.0, verdicts=(passed, failed))
    assert (judged.standing, judged.failed_rules) == ("partly", ("full-load",))
    assert judged.not_ranked == {"power": "below full load (rule full-load)"}
    assert row("r1", "c", 1.0, verdicts=(passed,), status=RunStatus.ABORTED).standing == "failed"
