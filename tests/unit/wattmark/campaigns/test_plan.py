from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

import pytest
from wattmark.bench.bench import Bench
from wattmark.bench.plan import Plan
from wattmark.campaigns.planning.plan import expand
from wattmark.campaigns.planning.planned import PlannedRun
from wattmark.campaigns.planning.view import plan_out
from wattmark.core.errors import InputError

MakeBench = Callable[..., Bench]


def _expand(bench: Bench, cpus: int = 4) -> list[PlannedRun]:
    return expand(bench.plan("plan"), bench, cpus)


def test_as_listed_is_configurations_then_workloads_then_levels_then_repeats(make_bench: MakeBench) -> None:
    runs = _expand(make_bench())
    assert [(r.configuration, r.workload[-4:], r.level, r.repeat) for r in runs[:8]] == [
        ("two", "sign", "1 process", 1),
        ("two", "sign", "1 process", 2),
        ("two", "sign", "4 processes", 1),
        ("two", "sign", "4 processes", 2),
        ("two", "rify", "1 process", 1),
        ("two", "rify", "1 process", 2),
        ("two", "rify", "4 processes", 1),
        ("two", "rify", "4 processes", 2),
    ]
    assert [r.order for r in runs] == list(range(16))
    assert {r.configuration for r in runs[8:]} == {"one"}


def test_random_order_keeps_each_configuration_together_and_follows_the_seed(make_bench: MakeBench) -> None:
    listed = _expand(make_bench())
    orders = {}
    for seed in range(20):
        runs = _expand(make_bench(order="random", seed=seed))
        assert len([key for key, _ in groupby(runs, key=lambda run: run.configuration)]) == 2
        assert [run.order for run in runs] == list(range(16))
        assert sorted(map(_what, runs)) == sorted(map(_what, listed))
        orders[seed] = [_what(run) for run in runs]
        assert orders[seed] == [_what(run) for run in _expand(make_bench(order="random", seed=seed))]
    assert len({tuple(order) for order in orders.values()}) > 15
    assert {order[0][0] for order in orders.values()} == {"one", "two"}


def test_in_random_blocks_every_repeat_visits_each_configuration_once(make_bench: MakeBench) -> None:
    listed = _expand(make_bench(repeats=3))
    firsts = set()
    for seed in range(20):
        runs = _expand(make_bench(order="random-blocks", seed=seed, repeats=3))
        assert [run.order for run in runs] == list(range(len(listed)))
        assert sorted(map(_what, runs)) == sorted(map(_what, listed))
        assert [run.repeat for run in runs] == sorted(run.repeat for run in runs)
        visits = [key for key, _ in groupby(runs, key=lambda run: (run.repeat, run.configuration))]
        assert len(visits) == len(set(visits)) == 3 * 2
        firsts.add(visits[0][1])
        assert runs == _expand(make_bench(order="random-blocks", seed=seed, repeats=3))
    assert firsts == {"one", "two"}


def test_the_order_of_a_plan_that_states_none_is_random_blocks() -> None:
    assert Plan(name="p", configurations=("a/two",), workloads=("w",)).order == "random-blocks"


def test_no_random_block_begins_with_what_the_one_before_ends_with(make_bench: MakeBench) -> None:
    """Each repeat of a configuration is then fitted anew, and an observation of its own."""
    for seed in range(20):
        runs = _expand(make_bench(order="random-blocks", seed=seed, repeats=5))
        visits = [key for key, _ in groupby(runs, key=lambda run: run.configuration)]
        assert len(visits) == 5 * 2


def test_up_and_down_turns_back_at_each_repeat(make_bench: MakeBench) -> None:
    runs = _expand(make_bench(order="up-and-down", repeats=3))
    visits = [key for key, _ in groupby(runs, key=lambda run: (run.repeat, run.configuration))]
    there, back = [configuration for repeat, configuration in visits if repeat == 1], [c for r, c in visits if r == 2]
    assert back == there[::-1]
    assert [configuration for repeat, configuration in visits if repeat == 3] == there
    assert runs == _expand(make_bench(order="up-and-down", repeats=3, seed=99))


def _what(run: PlannedRun) -> tuple[str, str, str, int]:
    return (run.configuration, run.workload, run.level, run.repeat)


def test_the_random_order_of_a_seed_is_the_same_everywhere(make_bench: MakeBench) -> None:
    """Pinned: two blocks, then four runs each, shuffled by random.Random(2006); stable since Python 3.2."""
    runs = _expand(make_bench(order="random", seed=2006, workloads=["openssl.rsa512-sign"], levels=["all"], repeats=4))
    assert [run.configuration for run in runs] == ["two"] * 4 + ["one"] * 4
    assert [run.repeat for run in runs] == [2, 4, 3, 1, 2, 1, 4, 3]


def test_a_level_that_means_the_same_is_run_once(make_bench: MakeBench) -> None:
    runs = _expand(make_bench(levels=[4, "all", 4], repeats=1, workloads=["openssl.rsa512-sign"]), cpus=4)
    assert [run.level_value for run in runs] == [4, 4]
    assert [run.configuration for run in runs] == ["two", "one"]


def test_a_lead_in_at_full_load_counts_towards_settling(make_bench: MakeBench) -> None:
    runs = {run.workload: run.expected_s for run in _expand(make_bench())}
    assert runs["openssl.rsa512-sign"] == 10 + 20 + 30 + 5
    assert runs["openssl.rsa512-verify"] == 10 + 30 + 30 + 5


def test_a_workload_without_levels_runs_at_all_only(make_bench: MakeBench) -> None:
    runs = _expand(make_bench(workloads=["fixed"], levels=["all"], repeats=1))
    assert [(run.level, run.level_value) for run in runs] == [("full load", None)] * 2
    with pytest.raises(InputError, match="fixed has no levels, but the plan asks for 1"):
        _expand(make_bench(workloads=["fixed"]))


def test_too_many_runs_are_refused(make_bench: MakeBench) -> None:
    with pytest.raises(InputError, match="more than 10000 runs"):
        _expand(make_bench(repeats=5000))


def test_the_view_tells_size_duration_and_what_gets_hot(make_bench: MakeBench) -> None:
    bench = make_bench(levels=["all"])
    out = plan_out(bench.plan("plan"), bench)
    assert (out.runs, out.expected_s, out.hot_servers, out.problem) == (8, 4 * 65 + 4 * 75, ["a"], None)


@pytest.mark.parametrize(
    ("replacements", "plan", "problem"),
    [
        ([("psus: [p1]}]", "psus: [p1]}], role: secondary")], {}, "No wall meter measures a."),
        ([("powered: false", "powered: true")], {}, "No wall meter measures p2 of a/two."),
        (
            [("powered: false", "powered: true"), (", psus: [p1]}]", "}]")],
            {},
            "The meter m measures a, but does not say which of p1 and p2 of a/two: a meter on one supply shows a part "
            "of the power. If it measures all of them, write feeds: [{server: a, psus: [p1, p2]}];",
        ),
        (
            [("    prepare: manual\n", "")],
            {},
            "The plan has 2 configurations of a, but does not say how to change from one to the next.",
        ),
        ([('command: ["true"]', "command: [no-such-program]")], {"workloads": ["fixed"], "levels": ["all"]}, "no-such"),
        ([], {"workloads": ["fixed"], "levels": [3]}, "The workload fixed has no levels"),
        (
            [("psus: [p1]}]", "psus: [p1]}], averaging_s: 3600")],
            {},
            "Each reading of m averages over 3600 s, longer than the measured window of",
        ),
    ],
)
def test_a_plan_that_cannot_give_results_says_why(
    make_bench: MakeBench, replacements: list[tuple[str, str]], plan: dict[str, object], problem: str
) -> None:
    bench = make_bench(*replacements, **plan)
    assert problem in str(plan_out(bench.plan("plan"), bench).problem)


@pytest.mark.parametrize(
    "replacements",
    [
        # one powered supply: its meter need not name it
        [(", psus: [p1]}]", "}]")],
        # two, both behind one meter
        [("powered: false", "powered: true"), ("psus: [p1]}]", "psus: [p1, p2]}]")],
        # two, a meter each
        [
            ("powered: false", "powered: true"),
            ("psus: [p1]}]}", 'psus: [p1]}]}\n  - {id: n, model: x.y, url: "sim:n", feeds: [{server: a, psus: [p2]}]}'),
        ],
    ],
    ids=["one powered", "both behind one", "one each"],
)
def test_a_plan_whose_supplies_all_have_a_meter_can_start(make_bench: MakeBench, replacements) -> None:
    bench = make_bench(*replacements)
    assert plan_out(bench.plan("plan"), bench).problem is None


def test_one_configuration_needs_no_preparation(make_bench: MakeBench) -> None:
    bench = make_bench(("    prepare: manual\n", ""), configurations=["a/one"])
    assert plan_out(bench.plan("plan"), bench).problem is None


def test_a_meter_of_two_servers_cannot_tell_them_apart(make_bench: MakeBench) -> None:
    second = "  - id: b\n    access: {local: true}\n    configurations: [*two]\nmeters:"
    bench = make_bench(("meters:", second), ("psus: [p1]}]", "psus: [p1]}, {server: b}]"))
    assert "m measures a and b together" in str(plan_out(bench.plan("plan"), bench).problem)


@pytest.mark.parametrize("order", ["as-listed", "random"])
def test_repeats_between_which_a_server_is_touched_come_one_after_the_other(make_bench, order):
    """Both workloads at both levels of a repeat are made before anybody is asked for something."""
    bench = make_bench(repeats=3, between_repeats="re-seat", order=order)
    runs = expand(bench.plan("plan"), bench, 4)
    for place in ("a/two", "a/one"):
        repeats = [run.repeat for run in runs if run.place == place]
        assert repeats == sorted(repeats)
        assert len(repeats) == 12
