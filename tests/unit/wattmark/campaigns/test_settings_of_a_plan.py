"""The power settings that a plan states: what may be written, and in which order their runs come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wattmark.bench.bench import Bench
from wattmark.bench.load import parse_bench
from wattmark.bench.mistakes import BenchError
from wattmark.bench.plan import Plan
from wattmark.bench.schema import bench_schema
from wattmark.bench.yaml_source import YamlSource
from wattmark.campaigns.planning.plan import expand
from wattmark.campaigns.planning.turns import pairs_in_turns
from wattmark.campaigns.planning.view import plan_view
from wattmark.runs.power_settings import PowerSettings

from .conftest import BENCH

MakeBench = Callable[..., Bench]
CAPS = {"power_cap_w": [100, 125, 150]}


def with_settings(text: str) -> Bench:
    source = YamlSource("bench.yaml", BENCH.replace("levels: [1, all]", f"settings: {text}, levels: [1, all]"))
    return parse_bench(source, Path("bench.yaml"))


def test_one_value_and_several_are_written_as_they_are_said() -> None:
    plan = with_settings("{governor: performance, turbo: off, smt: false, power_cap_w: [100, 125.5]}").plan("plan")
    assert plan.variants == tuple(
        PowerSettings(governor="performance", turbo="off", smt="off", power_cap_w=watts) for watts in (100, 125.5)
    )
    assert [variant.variant("two") for variant in plan.variants] == [
        "two+governor-performance+turbo-off+smt-off+cap-100W",
        "two+governor-performance+turbo-off+smt-off+cap-125.5W",
    ]
    assert plan.variants[0].words() == "CPU governor performance, turbo off, SMT off, power cap 100 W"


def test_a_stored_plan_is_read_again_as_it_was() -> None:
    plan = with_settings("{turbo: [on, off], deepest_c_state: C1E}").plan("plan")
    assert Plan.model_validate(plan.model_dump(mode="json")) == plan


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "at least one of"),
        ("{turbo: maybe}", "found 'maybe'; allowed: 'on' or 'off'"),
        ("{power_cap_w: 0}", "greater than 0"),
        ("{power_cap_w: [100, 100]}", "each value of power_cap_w once"),
        ("{power_cap_w: [100, 100.0000001]}", "values of power_cap_w at least 0.125 W apart"),
        ("{power_cap_w: [100.1, 150, 100]}", "not 100.0 and 100.1"),
        (
            "{deepest_c_state: [haltpoll idle, POLL, haltpoll_idle]}",
            "values of deepest_c_state that differ in more than a space, not 'haltpoll idle' and 'haltpoll_idle'",
        ),
        ("{governor: 'a b'}", "governor"),
        ("{power_cap_w: many}", "allowed: a number"),
        ("{powercap: 100}", "did you mean"),
        ("{power_cap_w: [" + ", ".join(map(str, range(1, 102))) + "]}", "at most 100 combinations"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(BenchError) as error:
        with_settings(text)
    assert words in str(error.value)
    assert "bench.yaml:24: " in str(error.value)


def test_caps_a_step_apart_are_two() -> None:
    names = [variant.variant("two") for variant in with_settings("{power_cap_w: [100, 100.125]}").plan("plan").variants]
    assert names == ["two+cap-100W", "two+cap-100.125W"]


@pytest.mark.parametrize(
    ("declared", "settings", "words"),
    [
        (
            "two+cap-125W",
            "{power_cap_w: [100, 125]}",
            "found 'a/two', whose runs under power cap 125 W are called 'a/two+cap-125W' as those of 'a/two+cap-125W'; "
            "choose another id",
        ),
        ("two+cap-150W", "{power_cap_w: [100, 125]}", ""),
        ("two+turbo-off", "{turbo: off, power_cap_w: 125}", ""),
    ],
)
def test_runs_under_settings_have_the_name_of_no_other_configuration(declared: str, settings: str, words: str) -> None:
    text = BENCH.replace("levels: [1, all]", f"settings: {settings}, levels: [1, all]")
    text = text.replace("id: one,", f"id: {declared},").replace("a/one", f"a/{declared}")
    found = ""
    try:
        parse_bench(YamlSource("bench.yaml", text), Path("bench.yaml"))
    except BenchError as error:
        found = str(error)
    assert words in found
    assert bool(words) == bool(found)


def test_an_editor_may_write_one_value_or_a_list() -> None:
    settings = bench_schema()["$defs"]["PlanSettings"]["properties"]
    one, several = settings["turbo"]["anyOf"][:2]
    assert one == {"enum": ["on", "off"], "type": "string"}
    assert (several["type"], several["items"], several["minItems"]) == ("array", one, 1)


def places(bench: Bench) -> list[tuple[str, int]]:
    return [(run.variant, run.repeat) for run in expand(bench.plan("plan"), bench, 2)]


@pytest.mark.parametrize("order", ["random-blocks", "up-and-down", "as-listed", "random"])
def test_each_configuration_is_measured_under_each_value(make_bench: MakeBench, order: str) -> None:
    bench = make_bench(settings=CAPS, order=order, workloads=["fixed"], levels=["all"], repeats=3)
    runs = expand(bench.plan("plan"), bench, 2)
    assert Counter(run.varied_place for run in runs) == {
        f"a/{name}+cap-{watts}W": 3 for name in ("two", "one") for watts in (100, 125, 150)
    }
    assert {run.place for run in runs} == {"a/two", "a/one"}
    assert plan_view(bench.plan("plan"), bench, 0.0, 2).rows[0].configuration == runs[0].variant


@pytest.mark.parametrize("order", ["random-blocks", "up-and-down"])
def test_values_come_in_turns_and_modules_are_changed_no_more_often(make_bench: MakeBench, order: str) -> None:
    plan: dict[str, Any] = {"order": order, "workloads": ["fixed"], "levels": ["all"], "repeats": 4}
    bench = make_bench(settings=CAPS, **plan)
    runs = expand(bench.plan("plan"), bench, 2)
    assert all(pairs_in_turns(runs).values())
    plain = make_bench(**plan)
    changes = sum(run.hands == "install" for run in expand(plain.plan("plan"), plain, 2))
    assert sum(run.hands == "install" for run in runs) == changes


def test_up_and_down_takes_the_values_back(make_bench: MakeBench) -> None:
    bench = make_bench(
        settings=CAPS, order="up-and-down", configurations=["a/two"], workloads=["fixed"], levels=["all"], repeats=2
    )
    assert [name for name, _ in places(bench)] == [f"two+cap-{watts}W" for watts in (100, 125, 150, 150, 125, 100)]


def test_repeats_of_one_value_repeat_no_other(make_bench: MakeBench) -> None:
    bench = make_bench(settings=CAPS, workloads=["fixed"], levels=["all"])
    runs = expand(bench.plan("plan"), bench, 2)
    assert len({run.group for run in runs}) == 6
    assert len({run.sequence for run in runs}) == 12


def test_a_plan_without_settings_is_as_before(make_bench: MakeBench) -> None:
    bench = make_bench()
    run = expand(bench.plan("plan"), bench, 2)[0]
    assert (run.variant, run.varied_place, bool(run.settings)) == ("two", "a/two", False)


def test_the_name_of_a_c_state_may_have_a_space_and_that_of_a_configuration_has_none() -> None:
    """The idle states of a virtual machine are called POLL and "haltpoll idle"."""
    plan = with_settings("{deepest_c_state: haltpoll idle}").plan("plan")
    assert plan.variants[0].variant("two") == "two+cstate-haltpoll_idle"
    assert plan.variants[0].words() == "deepest C-state haltpoll idle"
