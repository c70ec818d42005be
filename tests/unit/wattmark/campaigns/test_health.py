"""Control charts of reference workloads: which runs make a point, limits and verdicts; the campaigns of a night."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from wattmark.analysis.verdict import Verdict
from wattmark.bench.bench import Bench
from wattmark.campaigns.health.health import Health
from wattmark.campaigns.health.views import HealthChart, ReferenceHealth
from wattmark.campaigns.history import StoredCampaigns
from wattmark.campaigns.status import CampaignOut, CampaignRun
from wattmark.campaigns.stored import CAMPAIGN_KIND, START_KIND, start_document
from wattmark.core.quantity import Quantity
from wattmark.results.data_folder import Storage
from wattmark.results.pages.row import RunRow
from wattmark.results.result import Result
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.runs.record import RunStatus

from tests.stored_run import make_run

WATTS = (99.9, 100.1) * 5
"""Mean 100 W, s = 0.1 sqrt(10/9) W."""
DAY_S = 86_400
PLACE = {"server": "a", "configuration": "two", "workload": "openssl.rsa512-sign"}


class Lab:
    """Campaigns of a data folder with the results of their runs."""

    def __init__(self, bench: Bench, storage: Storage, zone: tzinfo) -> None:
        self.bench, self.storage = bench, storage
        self.lines: dict[str, str] = {}
        self.made = 0
        stored: Any = SimpleNamespace(
            runs=storage.runs, annotations=storage.annotations, results=SimpleNamespace(lines=self._lines)
        )
        results: Any = SimpleNamespace(each=self._each)
        self.health = Health(stored, results, lambda: self.bench, StoredCampaigns(stored), zone, list)

    def _lines(self, run_ids: list[str]) -> dict[str, str]:
        return {run_id: self.lines[run_id] for run_id in run_ids if run_id in self.lines}

    def _each(self, run_ids: Sequence[str]) -> Iterator[tuple[Any, Result]]:
        """Give the results of runs that a rule bars and a person ranks."""
        for run_id in run_ids:
            line = RunRow.model_validate_json(self.lines[run_id])
            copied = line.model_dump(include=Result.model_fields.keys() & RunRow.model_fields.keys())
            failed = Verdict("frozen", 80.0, 60.0, "1", "fail", "Power stood still.")
            figures = {"efficiency": None, "unit": "signs", "traceable": False, "verdicts": (failed,)}
            choice = {"inclusion": self.storage.annotations.inclusions()[run_id]}
            yield SimpleNamespace(run_id=run_id), Result.model_validate(copied | figures | choice)

    def campaign(
        self,
        *watts: float,
        plan: str = "plan",
        levels: tuple[Any, ...] = ("all",),
        here: bool = True,
        start_s: float | None = None,
        ended: dict[str, Any] | None = None,
        **row: Any,
    ) -> str:
        """Store a campaign with a run for each mean power [W]; a day later each. ``ended`` changes how it ended."""
        self.made += 1
        name = f"c{self.made}"
        runs = []
        for k, watt in enumerate(watts):
            run_id = f"{name}-{k}"
            run = {"order": k, "level": "4 processes", "repeat": k + 1, "run_id": run_id, "state": "complete"}
            runs.append(CampaignRun.model_validate({**PLACE, **run}))
            self.storage.runs.put(make_run(run_id, **PLACE))
            self.lines[run_id] = _row(run_id, name, watt, row).model_dump_json()
        begin_s = self.made * DAY_S if start_s is None else start_s
        fields = {"state": "complete", "campaign_id": name, "plan": plan, "runs": runs, "started_s": begin_s}
        out = CampaignOut.model_validate(fields | {"ended_s": begin_s + 600} | (ended or {}))
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
    def make(zone: tzinfo = UTC, **plan: Any) -> Lab:
        fields = {
            "configurations": ["a/two"], "workloads": ["openssl.rsa512-sign"], "levels": ["all"], "reference": {},
        }  # fmt: skip
        return Lab(make_bench(**(fields | plan)), storage, zone)

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
    assert (chart.limits.warning.low, chart.limits.warning.high) == pytest.approx((100 - 2 * s, 100 + 2 * s))
    assert (chart.limits.action.low, chart.limits.action.high) == pytest.approx((100 - 3 * s, 100 + 3 * s))
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
    assert [chart.uncharted for chart in reference.charts] == [1, 1]


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
    assert (room.chart().state, room.chart().limits) == ("no limits", None)
    assert [point.in_baseline for point in room.chart().points] == [True] * 10 + [False]
    assert "no scatter" in room.chart().statement


def test_the_night_lists_what_was_under_way_since_an_instant_with_its_results(lab: Callable[..., Lab]) -> None:
    room = lab(reference=None)
    for watt in (100.0, 101.0, 102.0):
        room.campaign(watt)
    night = room.health.health(2 * DAY_S + 300.0, None).night
    assert [entry.campaign.campaign_id for entry in night] == ["c3", "c2"]
    assert [row.power.value for row in night[0].rows if row.power] == [102.0]
    assert [entry.campaign.state for entry in room.health.health(1e9, "c1").night] == ["running"]


def test_a_run_that_a_person_ranks_in_spite_of_a_rule_is_on_the_chart(lab: Callable[..., Lab]) -> None:
    room = lab()
    room.campaign(100.0, not_ranked={"power": "The meter stood still (frozen)."})
    assert (room.chart().points, room.chart().uncharted) == ([], 1)
    choice = Inclusion(by="K. Berg", reason="A bench supply feeds it.", rules=("frozen",), at="2026-11-30T08:00:00Z")
    room.storage.annotations.include("c1-0", choice)
    assert ([point.value for point in room.chart().points], room.chart().uncharted) == ([100.0], 0)
    (entry,) = room.health.health(0.0, None).night
    assert entry.rows[0].inclusion == choice


def test_a_campaign_that_runs_makes_no_point_yet(lab: Callable[..., Lab]) -> None:
    """The mean of its first run is not yet that of the campaign, and would be judged."""
    room = lab()
    room.campaign(100.0)
    running = room.campaign(150.0)
    points = room.health.health(0.0, running).references[0].charts[0].points
    assert [point.campaign_id for point in points] == ["c1"]


def test_a_workload_that_counts_in_another_unit_now_begins_its_chart_again(lab: Callable[..., Lab]) -> None:
    room = lab()
    for _ in range(3):
        room.campaign(100.0)
    room.campaign(100.0, efficiency=Quantity(value=2.0, unit="MB/J"))
    chart = room.chart("efficiency")
    assert ([point.value for point in chart.points], chart.unit, chart.uncharted) == ([2.0], "MB/J", 3)
    assert len(room.chart("power").points) == 4


def test_measured_power_is_not_judged_by_simulated_power(lab: Callable[..., Lab]) -> None:
    room = lab()
    for _ in range(3):
        room.campaign(150.0, simulated=True)
    room.campaign(100.0)
    assert ([point.value for point in room.chart().points], room.chart().uncharted) == ([100.0], 3)
    room.campaign(150.0, simulated=True)
    assert ([point.value for point in room.chart().points], room.chart().uncharted) == ([100.0], 4)


def test_a_run_that_one_figure_bars_is_counted_at_that_chart_alone(lab: Callable[..., Lab]) -> None:
    room = lab()
    room.campaign(100.0, not_ranked={"efficiency": "the work was not full load"})
    assert (len(room.chart("power").points), room.chart("power").uncharted) == (1, 0)
    assert (room.chart("efficiency").points, room.chart("efficiency").uncharted) == ([], 1)


def test_the_first_day_that_counts_is_one_of_the_machine_s_zone(lab: Callable[..., Lab]) -> None:
    """In Tokyo the 3rd begins at 15:00 UTC of the 2nd, so that a campaign at 02:00 of that day counts."""
    room = lab(zone=ZoneInfo("Asia/Tokyo"), reference={"since": "1970-01-03"})
    for hour in (14, 17):
        room.campaign(100.0 + hour, start_s=datetime(1970, 1, 2, hour, tzinfo=UTC).timestamp())
    assert [point.value for point in room.chart().points] == [117.0]


def test_the_night_lists_a_campaign_that_began_the_evening_before_and_that_a_crash_ended(
    lab: Callable[..., Lab],
) -> None:
    room = lab(reference=None)
    name = room.campaign(100.0, ended={"state": "running", "ended_s": None, "elapsed_s": 9 * 3600.0})
    assert [entry.campaign.campaign_id for entry in room.health.health(DAY_S + 8 * 3600.0, None).night] == [name]
    assert room.health.health(DAY_S + 10 * 3600.0, None).night == []


def test_an_odd_campaign_among_the_first_ten_is_named(lab: Callable[..., Lab]) -> None:
    """With it s is 0.33 W instead of 0.1 W, so that a step of 0.7 W is not seen."""
    room = lab()
    for watt in (*WATTS[:5], 101.0, *WATTS[6:], 100.7):
        room.campaign(watt)
    chart = room.chart()
    assert chart.state == "in control"
    assert chart.doubt is not None
    assert chart.doubt.startswith("Of the first 10, the campaign of 1970-01-07 lies 1 % above the others and widens")


@pytest.mark.parametrize("watts", [[100 + 0.1 * k for k in range(10)], [99.9, 100.0, 99.9, 100.0, 99.9] + [101.0] * 5])
def test_first_campaigns_that_drift_or_shift_are_doubted(lab: Callable[..., Lab], watts: list[float]) -> None:
    room = lab()
    for watt in watts:
        room.campaign(watt)
    assert (room.chart().doubt or "").startswith("The first 10 drift or shift, which widens the limits.")


def test_scatter_about_one_value_is_not_doubted(lab: Callable[..., Lab]) -> None:
    room = lab()
    for watt in (100.05, 99.9, 100.1, 99.95, 100.0, 99.9, 100.15, 100.05, 99.95, 100.0):
        room.campaign(watt)
    assert room.chart().doubt is None


def test_a_first_day_without_results_is_named(lab: Callable[..., Lab]) -> None:
    room = lab(reference={"since": "2099-01-01"})
    room.campaign(100.0)
    assert room.chart().statement == "No ranked result since 2099-01-01 yet. The first 10 campaigns form the baseline."
