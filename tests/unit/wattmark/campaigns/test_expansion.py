"""What any plan expands to: exclusions, levels, order, seed, durations."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.bench.bench import Bench
from wattmark.campaigns.planning.plan import expand
from wattmark.campaigns.planning.planned import PlannedRun
from wattmark.campaigns.planning.view import plan_view
from wattmark.core.errors import InputError
from wattmark.runs.phase_name import PhaseName

MakeBench = Callable[..., Bench]
CONFIGURATIONS = ("a/two", "a/one", "a/bare")
WORKLOADS = ("openssl.rsa512-sign", "openssl.rsa512-verify", "sysbench.cpu")
LEVELS = (1, 2, 4, "all", "sweep")
FAST = settings(max_examples=25)


def some(of: tuple[Any, ...]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from(of), min_size=1, max_size=len(of), unique=True)


exclusions = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "configuration": st.sampled_from(CONFIGURATIONS),
            "workload": st.sampled_from(WORKLOADS),
            "level": st.sampled_from((1, 2, 4, "all")),
        },
    ).filter(bool),
    max_size=3,
)
plans = st.fixed_dictionaries(
    {
        "configurations": some(CONFIGURATIONS),
        "workloads": some(WORKLOADS),
        "levels": some(LEVELS),
        "repeats": st.integers(1, 3),
        "order": st.sampled_from(("random-blocks", "up-and-down", "as-listed", "random")),
        "seed": st.integers(0, 2**32),
    },
    optional={"stop": st.just({"gain_below_pct": 2}), "repeat_until": st.just({"efficiency_ci_pct": 1, "at_most": 4})},
)


def identity_of(run: PlannedRun) -> tuple[str, str, str, int]:
    return (run.place, run.workload, run.level, run.repeat)


def planned_runs(bench: Bench) -> list[PlannedRun]:
    try:
        return expand(bench.plan("plan"), bench, 4)
    except InputError as error:
        if "excludes all of its runs" not in str(error):
            raise
        return []


@FAST
@given(plan=plans, exclude=exclusions)
def test_exclusions_leave_out_what_they_name_and_nothing_else(
    make_bench: MakeBench, plan: dict[str, Any], exclude: list[dict[str, Any]]
) -> None:
    exclude = [
        exclusion
        for exclusion in exclude
        if exclusion.get("configuration", plan["configurations"][0]) in plan["configurations"]
        and exclusion.get("workload", plan["workloads"][0]) in plan["workloads"]
    ]
    whole, less = planned_runs(make_bench(**plan)), planned_runs(make_bench(**plan, exclude=exclude))

    def out(run: PlannedRun) -> bool:
        return any(
            exclusion.get("configuration", run.place) == run.place
            and exclusion.get("workload", run.workload) == run.workload
            and {"all": 4}.get(exclusion.get("level"), exclusion.get("level", run.level_value)) == run.level_value
            for exclusion in exclude
        )

    assert sorted(map(identity_of, less)) == sorted(identity_of(run) for run in whole if not out(run))


@FAST
@given(plan=plans)
def test_every_combination_comes_once_and_the_seed_decides_the_order(
    make_bench: MakeBench, plan: dict[str, Any]
) -> None:
    bench = make_bench(**plan)
    runs = planned_runs(bench)
    assert runs == planned_runs(make_bench(**plan)), "the same plan gives the same run table"
    assert [run.order for run in runs] == list(range(len(runs)))
    assert len({identity_of(run) for run in runs}) == len(runs)
    most = plan.get("repeat_until", {}).get("at_most", plan["repeats"])
    groups = {run.group for run in runs}
    assert len(runs) == most * len(groups)
    assert {place for place, _, _ in groups} == set(plan["configurations"])
    assert {name for _, name, _ in groups} == set(plan["workloads"])
    assert all(run.optional == (run.repeat > plan["repeats"]) for run in runs)
    assert all(run.at_most_s >= run.expected_s > 0 for run in runs)
    visits = [key for key, _ in groupby(runs, key=lambda run: run.place)]
    if plan["order"] in ("as-listed", "random"):
        assert len(visits) == len(plan["configurations"]), "modules are changed once"
    if plan["order"] == "random":
        for place in visits:
            needed = [run.optional for run in runs if run.place == place]
            assert needed == sorted(needed), "what only the precision may ask for comes last"


@FAST
@given(plan=plans)
def test_with_a_stop_rule_the_levels_of_a_curve_rise_one_after_the_other(
    make_bench: MakeBench, plan: dict[str, Any]
) -> None:
    runs = planned_runs(make_bench(**{**plan, "stop": {"gain_below_pct": 5}}))
    for _, curve in groupby(runs, key=lambda run: run.sequence):
        levels = [run.level_value or 0 for run in curve]
        assert levels == sorted(set(levels))
    assert len(list(groupby(runs, key=lambda run: run.sequence))) == len({run.sequence for run in runs})


@FAST
@given(plan=plans, budget_s=st.floats(1, 3000))
def test_the_view_of_a_plan_adds_up(make_bench: MakeBench, plan: dict[str, Any], budget_s: float) -> None:
    bench = make_bench(**plan, time_budget_s=budget_s)
    view = plan_view(bench.plan("plan"), bench, 1000.0, 4)
    begun = [row for row in view.rows if row.begin_s is not None]
    assert view.expected_s == pytest.approx(sum(row.expected_s for row in begun))
    assert view.expected_end_s == pytest.approx(1000 + view.expected_s)
    assert view.expected_s <= min(budget_s, view.at_most_s) + 1e-9
    assert [row.begin_s for row in begun] == sorted(row.begin_s for row in begun)
    assert len(view.rows) == len(planned_runs(bench))


def test_single_workloads_have_levels_of_their_own(make_bench: MakeBench) -> None:
    bench = make_bench(
        configurations=["a/one"],
        workloads=["openssl.rsa512-sign", "sysbench.cpu"],
        levels=["all"],
        workload_levels={"sysbench.cpu": ["sweep"]},
        repeats=1,
    )
    assert [(run.workload, run.level_value) for run in planned_runs(bench)] == [
        ("openssl.rsa512-sign", 4),
        *(("sysbench.cpu", level) for level in (1, 2, 4, 8, 16, 32, 64)),
    ]


def test_graduated_levels_are_one_curve_in_any_order(make_bench: MakeBench) -> None:
    """SPECpower_ssj2008: calibration intervals, then 100 % down to 10 % of their maximum, then active idle."""
    graduated = {"calibrate": 3}
    plan = {"configurations": ["a/one"], "workloads": ["web.by-rate"], "repeats": 2, "order": "random"}
    runs = planned_runs(make_bench(**plan, graduated=graduated))
    expected = [f"calibration {n}" for n in (1, 2, 3)] + [f"{p} %" for p in range(100, 0, -10)] + ["active idle"]
    for _, curve in groupby(runs, key=lambda run: run.repeat):
        assert [run.level for run in curve] == expected
    assert {run.level_value for run in runs if run.task == "calibrate"} == {1600}
    assert {run.level_value for run in runs if run.task != "calibrate"} == {None}
    bench = make_bench(configurations=["a/one"], workloads=["openssl.rsa512-sign"], graduated=graduated)
    with pytest.raises(InputError, match="rsa512-sign has no adjustable rate"):
        expand(bench.plan("plan"), bench, 4)


def test_active_idle_that_is_measured_once_comes_after_the_last_workload_with_its_own_length(
    make_bench: MakeBench,
) -> None:
    """As IEC 62301 wants it: 15 minutes and more of one idle server, not of each workload."""
    plan = {"configurations": ["a/one"], "workloads": ["paced.lu", "paced.sort"], "order": "as-listed", "measure_s": 60}
    rule = {"percent": [100, 50], "calibrate": 1, "idle_once_s": 1200}
    runs = planned_runs(make_bench(**plan, repeats=1, graduated=rule))
    assert [(run.workload, run.level) for run in runs] == [
        *(("paced.lu", level) for level in ("calibration 1", "100 %", "50 %")),
        *(("paced.sort", level) for level in ("calibration 1", "100 %", "50 %", "active idle")),
    ]
    measured = [dict(run.phases)[PhaseName.MEASURE] for run in runs]
    assert measured == [60, 60, 60, 60, 60, 60, 1200]
    none = planned_runs(make_bench(**plan, repeats=1, graduated={**rule, "active_idle": False}))
    assert {run.task for run in none} == {"calibrate", "share"}


def test_what_is_missing_is_said_before_anything_starts(make_bench: MakeBench) -> None:
    bench = make_bench(configurations=["a/one"], workloads=["web.by-rate"], levels=[10])
    missing = plan_view(bench.plan("plan"), bench, 0.0, 4).missing
    assert any("web.by-rate needs host (Host of the web server)" in message for message in missing)
    bench = make_bench(configurations=["a/one"], workloads=["fixed"], levels=["sweep"])
    assert "fixed has no levels" in plan_view(bench.plan("plan"), bench, 0.0, 4).missing[0]


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"exclude": [{}]}, "needs a configuration, a workload or a level to exclude"),
        ({"exclude": [{"workload": "fixed"}]}, "found 'fixed', which is not a known workload of this plan"),
        ({"workload_levels": {"fixed": [1]}}, "found 'fixed', which is not a known workload of this plan"),
        ({"sync_pulses_s": [1, 2, 3, 4]}, "needs an odd number of sync_pulses_s"),
        (
            {"settle": {"until": "steady", "at_least_s": 90, "at_most_s": 60}},
            "needs at_least_s to be at most at_most_s",
        ),
        (
            {"repeat_until": {"efficiency_ci_pct": 1, "at_most": 1}},
            "needs repeat_until.at_most to be at least repeats, 2",
        ),
        ({"limits": {}}, "needs max_power_w or max_temperature_c"),
        ({"limits": {"max_power": 3}}, "unknown key"),
        ({"levels": ["most"]}, "a whole number from 1, all (one per CPU), or sweep"),
    ],
)
def test_mistakes_in_rules_are_named(make_bench: MakeBench, plan: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        make_bench(**plan)
    assert message in "\n".join(caught.value.mistakes)


def test_somebody_is_needed_once_for_each_configuration_and_each_further_repeat(make_bench: MakeBench) -> None:
    planned = planned_runs(make_bench(between_repeats="reboot"))
    needed = [(run.configuration, run.repeat, run.hands) for run in planned if run.hands]
    assert needed == [
        ("two", 1, "install"),
        ("two", 2, "reboot"),
        ("one", 1, "install"),
        ("one", 2, "reboot"),
    ]


def test_the_phases_of_a_run_take_as_long_as_it(make_bench: MakeBench) -> None:
    for run in planned_runs(make_bench(sync_pattern=True, ramp_s=3, idle_after_s=2)):
        assert sum(seconds for _, seconds in run.phases) == run.expected_s
