"""Which rows of a campaign are repeated because other programs disturbed them, and what the history says of each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from wattmark.bench.plan import Plan
from wattmark.campaigns.history import HistoryQuery, StoredCampaigns, outcome_of
from wattmark.campaigns.planning.planned import PlannedRun
from wattmark.campaigns.planning.run_table import RunTable
from wattmark.campaigns.repeating import disturbed_orders, find_disturbed, orders_planned_again, planned_again
from wattmark.campaigns.status import CampaignOut, CampaignRun
from wattmark.campaigns.stored import CAMPAIGN_KIND, START_KIND, start_document
from wattmark.core.errors import InputError, NotFound
from wattmark.results.data_folder import Storage
from wattmark.results.pages.row import RunRow
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.runs.record import RunStatus


def row(order: int, state: str = "complete", **more: Any) -> CampaignRun:
    place = {"server": "s", "configuration": "c", "workload": "w", "level": "all", "repeat": order + 1}
    run_id = None if state in ("planned", "skipped") else f"r{order}"
    return CampaignRun.model_validate({"order": order, "run_id": run_id, "state": state, **place, **more})


def judged(run_id: str, *failed: str) -> RunRow:
    known = {"run_id": run_id, "campaign_id": "x", "server": "s", "configuration": "c", "workload": "w", "level": "all"}
    unknown = dict.fromkeys(("dimm_count", "reason", "limited_by", "efficiency", "power", "throughput"))
    return RunRow.model_validate(
        {
            **known, **unknown, "configuration_title": "C", "repeat": 1, "status": RunStatus.COMPLETE, "meter": "m",
            "created": "2026-01-01T00:00:00Z", "source": "measured", "simulated": False, "kind": "measured",
            "quality": "failed" if failed else "sound", "failed_rules": failed,
            "state": {"key": "barred", "words": "Still warming up"} if failed else {"key": "sound", "words": "OK"},
        }
    )  # fmt: skip


def included(*rules: str) -> Inclusion:
    return Inclusion(by="Ann", reason="The other program was idle.", rules=rules, at="2026-01-01T00:00:00Z")


OUT = CampaignOut(
    state="complete",
    campaign_id="x",
    plan="p",
    started_s=1000.0,
    runs=[row(0), row(1), row(2), row(3, "failed"), row(4, "skipped"), row(5)],
)
RESULTS = {
    "r0": judged("r0"),
    "r1": judged("r1", "warm-up", "undisturbed"),
    "r2": judged("r2", "warm-up"),
    "r5": judged("r5", "undisturbed"),
}


def test_only_runs_that_the_rule_bars_and_nobody_ranks_all_the_same_are_disturbed() -> None:
    assert disturbed_orders(OUT, RESULTS, {}) == {1, 5}
    assert disturbed_orders(OUT, RESULTS, {"r1": included("undisturbed"), "r5": included("drift")}) == {5}


def test_every_row_has_one_outcome() -> None:
    disturbed = disturbed_orders(OUT, RESULTS, {})
    outcomes = [outcome_of(one_row, RESULTS, disturbed, running=False) for one_row in OUT.runs]
    assert outcomes == [
        ("ok", "OK"),
        ("disturbed", "Disturbed by other programs"),
        ("barred", "Still warming up"),
        ("failed", "Failed"),
        ("skipped", "Skipped"),
        ("disturbed", "Disturbed by other programs"),
    ]
    under_way = row(0, "running")
    assert outcome_of(under_way, {}, (), running=True) == ("running", "Running")
    assert outcome_of(under_way, {}, (), running=False) == ("interrupted", "Interrupted")
    assert outcome_of(row(0, "aborted"), {}, (), running=False) == ("interrupted", "Stopped")
    assert outcome_of(row(0, "planned"), {}, (), running=False) == ("planned", "Not made yet")
    withheld = {"key": "withheld", "words": "No power: 21 s lost"}
    assert outcome_of(row(0, judged=withheld), {}, (), running=False) == ("withheld", "No power: 21 s lost")


def test_a_row_that_is_planned_again_keeps_what_it_gave_as_an_earlier_attempt() -> None:
    spoilt = {"key": "barred", "words": "Disturbed", "reason": "Other programs used 40 % of the CPU time."}
    again = planned_again(row(1, judged=spoilt))
    assert (again.state, again.run_id, again.judged) == ("planned", None, None)
    assert [(attempt.run_id, attempt.reason) for attempt in again.earlier] == [
        ("r1", "Other programs used 40 % of the CPU time.")
    ]
    assert orders_planned_again(OUT.model_copy(update={"runs": [row(0), again, row(2, "planned")]})) == [1]


RUN = PlannedRun(0, "a", "c", "w", "1 client", 1, 1, expected_s=10.0)


def test_a_group_and_a_graduated_curve_are_repeated_whole() -> None:
    places = ("a/c", "b/c")
    pair = [replace(RUN, order=0, peers=places), replace(RUN, order=1, server="b", peers=places)]
    alone = replace(RUN, order=2, repeat=2)
    curve = [
        replace(RUN, order=3, repeat=3, task="calibrate"),
        replace(RUN, order=4, repeat=3, task="share", percent=50.0, level="50 %"),
        replace(RUN, order=5, repeat=3),
    ]
    table = RunTable([*pair, alone, *curve])
    table.repeat([1])
    assert table.again == {0, 1}
    table.repeat([4])
    assert table.again == {0, 1, 3, 4}


def put(storage: Storage, name: str, started_s: float, state: str, *rows: CampaignRun, ended_s: float | None) -> None:
    out = CampaignOut.model_validate(
        {"state": state, "campaign_id": name, "plan": "p", "started_s": started_s, "ended_s": ended_s, "runs": rows}
    )
    plan = Plan(name="p", title="Two kinds of memory", configurations=("s/c",), workloads=("w",))
    storage.runs.put_document(CAMPAIGN_KIND, name, out.model_dump(mode="json"))
    storage.runs.put_document(START_KIND, name, start_document(plan, {"s": 4}, None))


def test_the_history_lists_campaigns_newest_first_page_by_page(storage: Storage) -> None:
    put(storage, "old", 1000.0, "complete", row(0), row(1, "failed"), ended_s=1500.0)
    put(storage, "new", 3000.0, "running", row(0), row(1, "running"), row(2, "planned"), ended_s=None)
    put(storage, "mid", 2000.0, "aborted", row(0, "aborted"), ended_s=2100.0)
    history = StoredCampaigns(storage)
    page = history.page(HistoryQuery(limit=2), running=None)
    assert (page.total, page.next_offset) == (3, 2)
    assert [campaign.campaign_id for campaign in page.campaigns] == ["new", "mid"]
    newest = page.campaigns[0]
    assert (newest.state, newest.resumable, newest.ended_s, newest.title) == (
        "interrupted",
        True,
        None,
        "Two kinds of memory",
    )
    assert [(count.outcome, count.runs) for count in newest.outcomes] == [("ok", 1), ("interrupted", 1), ("planned", 1)]
    rest = history.page(HistoryQuery(limit=2, offset=2), running=None)
    assert [(campaign.state, campaign.ended_s, campaign.runs) for campaign in rest.campaigns] == [
        ("complete", 1500.0, 2)
    ]
    assert rest.next_offset is None
    under_way = history.page(HistoryQuery(limit=1), running="new").campaigns[0]
    assert (under_way.state, under_way.resumable) == ("running", False)


def test_a_campaign_that_cannot_be_read_hides_no_other(storage: Storage) -> None:
    put(storage, "good", 1000.0, "complete", row(0), ended_s=1500.0)
    storage.runs.put_document(CAMPAIGN_KIND, "odd", {"state": "dancing", "started_s": 2000.0})
    page = StoredCampaigns(storage).page(HistoryQuery(), running=None)
    assert ([campaign.campaign_id for campaign in page.campaigns], page.total, page.unreadable) == (["good"], 2, 1)


def test_nothing_is_repeated_where_nothing_was_disturbed_or_runs_are_left(storage: Storage) -> None:
    with pytest.raises(NotFound):
        find_disturbed(storage)
    put(storage, "left", 1000.0, "aborted", row(0), row(1, "planned"), ended_s=1500.0)
    with pytest.raises(InputError, match="has not ended"):
        find_disturbed(storage, "left")
    put(storage, "done", 2000.0, "complete", row(0), ended_s=2500.0)
    with pytest.raises(InputError, match="No run of campaign done was disturbed"):
        find_disturbed(storage)
