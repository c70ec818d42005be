"""Groups of servers on paper: their rows, their order, their time, and what a plan may not ask for."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from wattmark.bench.bench import Bench
from wattmark.campaigns.planning.decisions import Decisions
from wattmark.campaigns.planning.plan import expand
from wattmark.campaigns.planning.planned import steps
from wattmark.campaigns.planning.run_table import RunTable, group_outcome
from wattmark.campaigns.planning.view import plan_out, plan_view
from wattmark.core.errors import InputError
from wattmark.results.verdicts import start_verdict, started_together
from wattmark.runs.record import RunRecord, RunStatus

from tests.stored_run import make_run

MakeBench = Callable[..., Bench]
PAIR = ["a/two", "b/two", "a/one", "b/one"]
SECOND = """\
  - id: b
    access: {ssh: {host: b.example, user: bench}}
    prepare: manual
    configurations: [*two, {<<: *two, id: one}]
meters:
  - {id: n, model: x.y, url: "sim:n", feeds: [{server: b}]}
"""
TOGETHER = ("{name: plan,", "{name: plan, together: true,")
RUN_S = 10 + 20 + 3 + 30 + 5
"""Idle, settle, wait for the start in common, measure, cool down [s]."""


@pytest.fixture
def make_pair(make_bench: MakeBench) -> MakeBench:
    def make(*replacements: tuple[str, str], **plan: Any) -> Bench:
        wanted = {"configurations": PAIR, "levels": ["all"], **plan}
        return make_bench(("meters:\n", SECOND), TOGETHER, *replacements, **wanted)

    return make


def rows(bench: Bench, cpus: dict[str, int] | None = None) -> list[tuple[str, str, str, int]]:
    planned = expand(bench.plan("plan"), bench, cpus or {"a": 4, "b": 8})
    return [(run.place, run.workload, run.level, run.repeat) for run in planned]


def test_the_first_of_each_server_and_the_second_of_each_form_groups(make_pair: MakeBench) -> None:
    sign = "openssl.rsa512-sign"
    assert rows(make_pair(workloads=[sign], repeats=1)) == [
        ("a/two", sign, "4 processes", 1),
        ("b/two", sign, "8 processes", 1),
        ("a/one", sign, "4 processes", 1),
        ("b/one", sign, "8 processes", 1),
    ]


@pytest.mark.parametrize("order", ["random-blocks", "up-and-down", "as-listed", "random"])
@pytest.mark.parametrize("seed", range(5))
def test_every_order_keeps_groups_together(make_pair: MakeBench, order: str, seed: int) -> None:
    bench = make_pair(order=order, seed=seed, repeats=3, levels=[1, "all"])
    planned = expand(bench.plan("plan"), bench, {"a": 4, "b": 8})
    assert len(planned) == 2 * 2 * 2 * 2 * 3
    groups = steps(planned)
    assert {len(group) for group in groups} == {2}
    for a, b in groups:
        assert (a.server, b.server) == ("a", "b")
        assert (a.configuration, a.workload, a.repeat) == (b.configuration, b.workload, b.repeat)
        assert (a.order, b.order) == (a.step, a.step + 1) == (b.step, b.step + 1)
    visits = [group[0].places for group in groups]
    changes = sum(visit != next_one for visit, next_one in pairwise(visits))
    assert changes <= (1 if order in ("as-listed", "random") else 5), "modules are changed on both servers at once"


def test_a_group_takes_the_time_of_one_run_and_is_shown_as_one(make_pair: MakeBench) -> None:
    bench = make_pair(workloads=["openssl.rsa512-sign"], repeats=1)
    plan = bench.plan("plan")
    assert plan_out(plan, bench).expected_s == pytest.approx(2 * RUN_S)
    view = plan_view(plan, bench, 0.0, 4)
    assert view.expected_s == pytest.approx(2 * RUN_S)
    assert [row.begin_s for row in view.rows] == pytest.approx([0, 0, RUN_S, RUN_S])
    assert [row.together for row in view.rows] == [0, 0, 2, 2]
    assert view.rows[0].remark == "together with b/two"


def test_a_group_fits_into_the_time_as_one_or_not_at_all(make_pair: MakeBench) -> None:
    bench = make_pair(workloads=["openssl.rsa512-sign"], repeats=1, time_budget_s=RUN_S + 1)
    plan = bench.plan("plan")
    table = RunTable(expand(plan, bench, {"a": 4, "b": 4}))
    first, second = steps(table.planned)
    decisions = Decisions(plan, bench, table)
    assert decisions.reasons_to_skip(first, 0.0) == {}
    assert set(decisions.reasons_to_skip(second, 0.0)) == {2, 3}
    assert set(decisions.reasons_to_skip(first, 2.0)) == {0, 1}


ONE_METER = ("feeds: [{server: b}]", "feeds: [{server: b}, {server: a, psus: [p2]}]")
MARKED = (
    ('command: ["true"],', ""),
    ('parser: {kind: regex, pattern: "(?P<value>.)", reports: interval-rate}, warm_up_s: 7', "parser: {kind: markers}"),
)


@pytest.mark.parametrize(
    ("changes", "plan", "line", "message"),
    [
        ((), {"configurations": ["a/two", "a/one"]}, "plans[0].together", "all configurations are of a"),
        ((), {"configurations": PAIR[:3]}, "plans[0].configurations", "found 2 of a, 1 of b"),
        ((ONE_METER,), {}, "plans[0].together", "the meter n measures b and a together"),
        (
            (("{ssh: {host: b.example, user: bench}}", "{local: true}"),),
            {},
            "plans[0].together",
            "a and b have the same access",
        ),
        ((), {"exclude": [{"configuration": "a/two"}]}, "plans[0]", "found only 'a/two'; b/two starts with it"),
        (MARKED, {"workloads": ["fixed"]}, "plans[0].workloads", "found 'fixed', which is not started by a command"),
    ],
)
def test_what_cannot_start_together_is_named_at_its_line(
    make_pair: MakeBench, changes: tuple[tuple[str, str], ...], plan: dict[str, Any], line: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        make_pair(*changes, **plan)
    (mistake,) = (text for text in caught.value.mistakes if message in text)
    assert mistake.startswith("bench.yaml:28: ")
    assert line in mistake


def test_levels_that_not_all_servers_have_are_refused(make_pair: MakeBench) -> None:
    bench = make_pair(levels=[4, "all"], workloads=["openssl.rsa512-sign"])
    with pytest.raises(
        InputError, match=r"with different levels together \(a/two: 4 processes; b/two: 4 processes, 8 processes\)"
    ):
        expand(bench.plan("plan"), bench, {"a": 4, "b": 8})
    same = make_pair(
        levels=[1, 2],
        workloads=["openssl.rsa512-sign"],
        exclude=[{"configuration": place, "level": 2} for place in PAIR],
    )
    assert {level for _, _, level, _ in rows(same)} == {"1 process"}


def record(run_id: str, server: str, status: RunStatus, barrier: str = "x", **more: Any) -> RunRecord:
    together = {"barrier": barrier, "runs": [{"server": s, "configuration": "c", "run_id": f"r{s}"} for s in "ab"]}
    together |= {"target_s": 0.01, **more}
    return make_run(run_id, server=server, status=status, disclosure={"together": together})


@pytest.mark.parametrize("status", [RunStatus.FAILED, RunStatus.INTERRUPTED, RunStatus.ABORTED])
def test_what_was_complete_shares_the_fate_of_its_group(status: RunStatus) -> None:
    whole = [record("1", "a", RunStatus.COMPLETE, "y"), record("2", "b", RunStatus.COMPLETE, "y")]
    broken = record("4", "b", status).model_copy(update={"reason": "power cut"})
    (changed,) = group_outcome([*whole, record("3", "a", RunStatus.COMPLETE), broken])
    assert (changed.run_id, changed.status, changed.disclosure.repeatable) == ("3", status, True)
    assert changed.reason == "The run of b, which started together with this one, was not completed: power cut"


@pytest.mark.parametrize(("spread_s", "outcome"), [(0.0099, "pass"), (0.0101, "fail")])
def test_a_result_tells_the_spread_and_whether_it_meets_10_ms(spread_s: float, outcome: str) -> None:
    run = record("ra", "a", RunStatus.COMPLETE, spread_s=spread_s, u_s=0.0004)
    assert started_together(run) == {
        "started_with": ("b/c",),
        "start_spread_s": spread_s,
        "start_spread_u_s": 0.0004,
    }
    verdict = start_verdict(run)
    assert (verdict.outcome, verdict.limit) == (outcome, 10.0)
    alone = run.changed(disclosure={})
    assert started_together(alone) == {}
    assert (start_verdict(alone).outcome, start_verdict(alone).text) == ("not-checked", "The run was made alone.")
