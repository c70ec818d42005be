"""Control charts of reference workloads: which runs make a point, limits and verdicts; the campaigns of a night."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from wattmark.bench.bench import Bench
from wattmark.campaigns.health.health import Health
from wattmark.campaigns.health.views import HealthChart, ReferenceHealth
from wattmark.campaigns.history import StoredCampaigns
from wattmark.campaigns.status import CampaignOut, CampaignRun
from wattmark.campaigns.stored import CAMPAIGN_KIND, START_KIND, start_document
from wattmark.core.quantity import Quantity
from wattmark.results.data_folder import Storage
from wattmark.results.pages.row import RunRow
from wattmark.runs.record import RunStatus

from tests.stored_run import make_run

WATTS = (99.9, 100.1) * 5
"""Mean 100 W, s = 0.1 sqrt(10/9) W."""
DAY_S = 86_400
PLACE = {"server": "a", "configuration": "two", "workload": "openssl.rsa512-sign"}


class Lab:
    """Campaigns of a data folder with the results of their runs."""

    def __init__(self, bench: Bench, storage: Storage) -> None:
        self.bench, self.storage = bench, storage
        self.lines: dict[str, str] = {}
        self.made = 0
        stored: Any = SimpleNamespace(
            runs=storage.runs, annotations=storage.annotations, results=SimpleNamespace(lines=self._lines)
        )
        self.health = Health(stored, lambda: self.bench, StoredCampaigns(stored))

    def _lines(self, run_ids: list[str]) -> dict[str, str]:
        return {run_id: self.lines[run_id] for run_id in run_ids if run_id in self.lines}

    def campaign(
        self, *watts: float, plan: str = "plan", levels: tuple[Any, ...] = ("all",), here: bool = True, **row: Any
    ) -> str:
        """Store a campaign with a run for each mean power [W]; a day later each."""
        self.made += 1
        name = f"c{self.made}"
        runs = []
        for k, watt in enumerate(watts):
            run_id = f"{name}-{k}"
            run = {"order": k, "level": "4 processes", "repeat": k + 1, "run_id": run_id, "state": "complete"}
            runs.append(CampaignRun.model_validate({**PLACE, **run}))
            self.storage.runs.put(make_run(run_id, **PLACE))
            self.lines[run_id] = _row(run_id, name, watt, row).model_dump_json()
        start_s = self.made * DAY_S
        out = CampaignOut(
            state="complete", campaign_id=name, plan=plan, runs=runs, started_s=start_s, ended_s=start_s + 600
        )
        self.storage.runs.put_document(CAMPAIGN_KIND, name, out.model_dump(mode="json"))
        if here:
            started = self.bench.plan("plan").model_copy(update={"name": plan, "levels": levels})
            self.storage.runs.put_document(START_KIND, name, start_document(started, {"a": 4}, None))
        return name

    def reference(self) -> ReferenceHealth:
        return self.health.health(0.0, None).references[0]

    def chart(self, figure: str = "power") -> HealthChart:
        (chart,) = [chart for chart in self.reference().charts if chart.figure == figure]
        return chart


def _row(run_id: str, campaign_id: str, watt: float, changes: dict[str, Any]) -> RunRow:
    fields: dict[str, Any] = {
        **PLACE, "run_id": run_id, "campaign_id": campaign_id, "configuration_title": "Two", "dimm_count": 2,
        "level": "4 processes", "repeat": 1, "status": RunStatus.COMPLETE, "reason": None, "limited_by": None,
        "created": "2026-01-01T00:00:00Z", "source": "measured", "simulated": False, "kind": "measured", "meter": "m",
        "quality": "sound", "state": {"key": "sound", "words": "OK"}, "failed_rules": (),
        "power": Quantity(value=watt, unit="W"), "efficiency": Quantity(value=1000 / watt, unit="signs/J"),
        "throughput": None,
    }  # fmt: skip
    return RunRow.model_validate(fields | changes)


@pytest.fixture
def lab(make_bench: Callable[..., Bench], storage: Storage) -> Callable[..., Lab]:
    def make(**plan: Any) -> Lab:
        fields = {
            "configurations": ["a/two"], "workloads": ["openssl.rsa512-sign"], "levels": ["all"], "reference": {},
        }  # fmt: skip
        return Lab(make_bench(**(fields | plan)), storage)

    return make


def test_without_a_reference_there_is_no_chart(lab: Callable[..., Lab]) -> None:
    room = lab(reference=None)
    room.campaign(100.0)
    assert room.health.health(0.0, None).references == []


def test_the_first_ten_campaigns_give_centre_and_limits_and_no_verdict(lab: Callable[..., Lab]) -> None:
    room = lab()
    assert (room.chart().state, room.chart().missing) == ("no results", 10)
    for watt in WATTS[:9]:
        room.campaign(watt)
    assert (room.chart().state, room.chart().missing, room.chart().limits) == ("baseline", 1, None)
    room.campaign(WATTS[9])
    chart = room.chart()
    s = 0.1 * math.sqrt(10 / 9)
    assert chart.limits is not None
    assert (chart.limits.centre, chart.limits.s) == pytest.approx((100, s))
    assert (chart.limits.warning_low, chart.limits.action_high) == pytest.approx((100 - 2 * s, 100 + 3 * s))
    assert (chart.state, chart.missing) == ("in control", 0)
    assert {(point.in_baseline, point.zone) for point in chart.points} == {(True, None)}


@pytest.mark.parametrize(
    ("watts", "state", "words"),
    [
        ([100.05], "in control", "breaks no rule"),
        ([100.25], "warning", "beyond 2 s of the centre"),
        ([100.4], "out of control", "1 point beyond 3 s"),
        ([100.02] * 8, "out of control", "8 points in a row on one side of the centre"),
        ([100.4, 100.0, 99.98], "in control", "Earlier points out of control: 1."),
    ],
)
def test_later_campaigns_are_judged_by_limits_and_runs_rules(
    lab: Callable[..., Lab], watts: list[float], state: str, words: str
) -> None:
    room = lab()
    for watt in (*WATTS, *watts):
        room.campaign(watt)
    assert room.chart().state == state
    assert words in room.chart().statement


def test_work_per_joule_has_a_chart_of_its_own_in_its_unit(lab: Callable[..., Lab]) -> None:
    room = lab()
    for watt in (*WATTS, 101.0):
        room.campaign(watt)
    chart = room.chart("efficiency")
    assert (chart.unit, chart.state) == ("signs/J", "out of control")
    assert chart.points[-1].value == pytest.approx(1000 / 101)


def test_a_point_is_the_mean_of_the_ranked_runs_of_a_campaign(lab: Callable[..., Lab]) -> None:
    room = lab()
    room.campaign(100.0, 102.0)
    point = room.chart().points[0]
    assert (point.value, point.runs, point.campaign_id) == (101.0, 2, "c1")


def test_runs_that_are_not_ranked_or_in_the_trash_make_no_point_and_are_counted(lab: Callable[..., Lab]) -> None:
    room = lab()
    room.campaign(100.0)
    room.campaign(150.0, not_ranked={"power": "It was disturbed.", "efficiency": "It was disturbed."})
    room.campaign(160.0)
    room.storage.runs.trash(["c3-0"], 0)
    reference = room.reference()
    assert [point.campaign_id for point in reference.charts[0].points] == ["c1"]
    assert reference.uncharted == 1


def test_other_plans_other_levels_and_other_labs_are_on_no_chart(lab: Callable[..., Lab]) -> None:
    room = lab()
    room.campaign(100.0, plan="another")
    room.campaign(100.0, levels=(1,))
    room.campaign(100.0, here=False)
    assert room.chart().points == []


def test_results_before_a_change_on_purpose_are_left_out(lab: Callable[..., Lab]) -> None:
    room = lab(reference={"since": "1970-01-03"})
    room.campaign(150.0)
    room.campaign(100.0)
    assert [point.value for point in room.chart().points] == [100.0]


def test_simulated_power_is_marked_on_the_chart(lab: Callable[..., Lab]) -> None:
    room = lab()
    room.campaign(100.0, simulated=True)
    assert room.chart().points[0].simulated


def test_a_meter_that_shows_the_same_digit_ten_times_gives_no_limits(lab: Callable[..., Lab]) -> None:
    room = lab()
    for _ in range(11):
        room.campaign(100.0)
    assert (room.chart().state, room.chart().limits) == ("baseline", None)
    assert "no scatter" in room.chart().statement


def test_the_night_lists_what_was_under_way_since_an_instant_with_its_results(lab: Callable[..., Lab]) -> None:
    room = lab(reference=None)
    for watt in (100.0, 101.0, 102.0):
        room.campaign(watt)
    night = room.health.health(2 * DAY_S + 300.0, None).night
    assert [entry.campaign.campaign_id for entry in night] == ["c3", "c2"]
    assert [row.power.value for row in night[0].rows if row.power] == [102.0]
    assert [entry.campaign.state for entry in room.health.health(1e9, "c1").night] == ["running"]
