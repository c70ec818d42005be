"""What is worth telling, and that it is told once."""

from __future__ import annotations

from typing import Any

import pytest
from wattmark.campaigns.status import CampaignOut
from wattmark.notices.happenings import LOST_S, CampaignWatch, MeterWatch, alarm_notice
from wattmark.runs.alarms import Alarm

from .conftest import AT_NS

S = 10**9


def MEASURED(_: str) -> bool:
    """Say of everything that no simulator measures it."""
    return False


def run(order: int, state: str, **more: Any) -> dict[str, Any]:
    names = {"server": "s", "configuration": "c", "workload": "w", "level": "all", "repeat": 1}
    return {"order": order, "run_id": None, "state": state, **names, **more}


def campaign(state: str, **more: Any) -> CampaignOut:
    return CampaignOut.model_validate({"state": state, "plan": "night", "campaign_id": "c1", **more})


def told(*statuses: CampaignOut) -> list[tuple[str, str]]:
    watch = CampaignWatch()
    notices = [watch.take(status, AT_NS, MEASURED) for status in statuses]
    return [(notice.event, notice.title) for notice in notices if notice is not None]


@pytest.mark.parametrize(
    ("state", "event", "title"),
    [
        ("complete", "campaign-ended", "Campaign night has ended"),
        ("failed", "campaign-failed", "Campaign night has failed"),
        ("aborted", "campaign-ended", "Campaign night was stopped"),
    ],
)
def test_each_end_is_told_once(state: str, event: str, title: str) -> None:
    running, end = campaign("running"), campaign(state)
    assert told(running, running, end, end) == [(event, title)]
    assert told(running, end, campaign("running", campaign_id="c2"), end) == [(event, title)] * 2


def test_a_service_that_starts_beside_an_ended_campaign_tells_nothing() -> None:
    assert told(campaign("complete")) == []
    assert told(campaign("idle", resumable="c1"), campaign("complete")) == []


def test_the_end_counts_the_runs_and_says_that_power_was_simulated() -> None:
    watch = CampaignWatch()
    watch.take(campaign("running"), AT_NS, MEASURED)
    runs = [run(0, "complete", simulated=True), run(1, "complete"), run(2, "failed")]
    end = watch.take(campaign("complete", runs=runs, message="1 of 3 runs failed."), AT_NS, MEASURED)
    assert end is not None
    assert end.title == "Campaign night has ended (simulated)"
    assert end.text == "3 runs: 2 complete, 1 failed. 1 of 3 runs failed."
    assert (end.simulated, end.at_ns) == (True, AT_NS)


def test_hands_are_asked_for_once_for_each_request() -> None:
    def waiting(configuration: str, message: str | None) -> CampaignOut:
        request = {"server": "node-1", "configuration": configuration, "hands": "install"}
        return campaign("waiting-for-operator", request=request, message=message)

    first = waiting("dimm-4", "Install 4 modules in node-1.")
    needs = ("needs-hands", "Campaign night needs hands at node-1")
    assert told(campaign("running"), first, first, campaign("running"), waiting("dimm-8", None)) == [needs, needs]
    watch = CampaignWatch()
    asked = [watch.take(status, AT_NS, MEASURED) for status in (first, waiting("dimm-8", None))]
    assert [notice.text for notice in asked if notice] == ["Install 4 modules in node-1.", "Set up dimm-8 in node-1."]


def test_what_is_asked_and_what_ends_at_a_server_with_simulated_power_says_so() -> None:
    def simulated(server: str) -> bool:
        return server == "node-1"

    watch = CampaignWatch()
    request = {"server": "node-1", "configuration": "dimm-4", "hands": "install"}
    asked = watch.take(campaign("waiting-for-operator", request=request), AT_NS, simulated)
    assert asked is not None
    assert (asked.title, asked.simulated) == ("Campaign night needs hands at node-1 (simulated)", True)
    unmeasured = run(0, "failed") | {"server": "node-1"}
    failed = watch.take(campaign("failed", runs=[unmeasured]), AT_NS, simulated)
    assert failed is not None
    assert (failed.title, failed.simulated) == ("Campaign night has failed (simulated)", True)


def test_a_lost_simulated_meter_says_that_it_is_one() -> None:
    watch = MeterWatch()
    problems = {"wall": "no answer", "sim": "no answer"}
    assert watch.take(problems, 0, AT_NS, lambda name: name == "sim") == []
    lost = watch.take(problems, round(LOST_S * S), AT_NS, lambda name: name == "sim")
    assert [(notice.title, notice.simulated) for notice in lost] == [
        ("wall does not answer", False),
        ("sim does not answer (simulated)", True),
    ]


def test_an_alarm_says_how_far_and_what_it_does_to_runs() -> None:
    alarm = Alarm(
        number=1, source="wall", channel="power", side="high", limit=300.0, unit="W", run_must_keep=True,
        begin_ns=AT_NS, seen_ns=AT_NS, worst=320.0, simulated=True,
    )  # fmt: skip
    notice = alarm_notice(alarm, AT_NS)
    assert notice.title == "wall power is above its limit (simulated)"
    assert notice.text == "320 W is above the limit of 300 W. A run that it lasts into is not ranked."
    low = alarm_notice(alarm.changed(side="low", limit=10.0, worst=5.0, run_must_keep=False), AT_NS)
    assert low.text == "5 W is below the limit of 10 W."


def lost(watch: MeterWatch, problem: str | None, *at_s: float, name: str = "wall") -> list[str]:
    return [n.title for s in at_s for n in watch.take({name: problem}, round(s * S), AT_NS, MEASURED)]


def test_a_meter_is_lost_when_it_stays_away_and_told_once() -> None:
    watch = MeterWatch()
    assert lost(watch, None, 0, 1) == []
    assert lost(watch, "no answer", 2, 10, 2 + LOST_S - 1) == []
    assert lost(watch, "no answer", 2 + LOST_S, 3 + LOST_S, 1000) == ["wall does not answer"]


def test_a_meter_that_flutters_is_told_once_until_it_has_answered_for_long_enough() -> None:
    watch = MeterWatch()
    assert lost(watch, "no answer", 0, LOST_S) == ["wall does not answer"]
    assert lost(watch, None, 40, 45) == []
    assert lost(watch, "no answer", 50, 50 + LOST_S) == []
    assert lost(watch, None, 100, 100 + LOST_S) == []
    assert lost(watch, "no answer", 200, 200 + LOST_S) == ["wall does not answer"]


def test_a_meter_that_left_the_bench_begins_anew() -> None:
    watch = MeterWatch()
    assert lost(watch, "no answer", 0, LOST_S) == ["wall does not answer"]
    assert watch.take({}, 40 * S, AT_NS, MEASURED) == []
    assert lost(watch, "no answer", 50, 50 + LOST_S - 1) == []
    assert lost(watch, "no answer", 50 + LOST_S) == ["wall does not answer"]
