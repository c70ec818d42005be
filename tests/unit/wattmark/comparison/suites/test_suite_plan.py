"""From a suite to an ordinary plan and its runs."""

from __future__ import annotations

import pytest
from wattmark.bench.bench import Bench
from wattmark.campaigns.planning.plan import expand
from wattmark.comparison.factors.geometric import subsystem
from wattmark.comparison.suites.suite import Suite, find_suite, load_suites
from wattmark.comparison.suites.suite_plan import suite_plan
from wattmark.comparison.suites.suite_report import suite_out
from wattmark.core.errors import InputError
from wattmark.runs.phase_name import PhaseName

BENCH = Bench.model_validate(
    {
        "schema": "wattmark-bench/1",
        "lab": "L",
        "servers": [
            {
                "id": "s",
                "access": {"local": True},
                "configurations": [{"id": "c", "cpu": {"model": "m"}, "os": {"name": "Debian", "kernel": "6"}}],
            }
        ],
        "workloads": [
            {"uses": f"paced.{order}-io", "with": {"parameters": {"folder": "/srv"}}}
            for order in ("sequential", "random")
        ],
    }
)


@pytest.mark.parametrize("suite", load_suites().values(), ids=lambda suite: suite.id)
def test_each_worklet_is_calibrated_and_run_from_full_load_down_and_idle_comes_once(suite: Suite) -> None:
    runs = expand(suite_plan(suite, ["s/c"]), BENCH, 4)
    for workload in suite.workloads:
        of = [run for run in runs if run.workload == workload and run.task != "idle"]
        shares = [f"{percent:g} %" for percent in suite.percent]
        assert [run.level for run in of] == [f"calibration {n + 1}" for n in range(suite.calibrate)] + shares
    (idle,) = [run for run in runs if run.task == "idle"]
    assert dict(idle.phases)[PhaseName.MEASURE] == suite.idle_s
    assert sum(run.expected_s for run in runs) == pytest.approx(suite_out(suite).expected_s)


@pytest.mark.parametrize("suite", load_suites().values(), ids=lambda suite: suite.id)
def test_kinds_of_a_suite_are_those_of_the_geometric_means(suite: Suite) -> None:
    assert {worklet.workload: worklet.kind for worklet in suite.worklets} == {
        worklet.workload: subsystem(worklet.workload) for worklet in suite.worklets
    }


def test_weights_and_levels_of_the_whole_server_are_those_of_sert_and_of_eighths() -> None:
    """ENERGY STAR, How to Measure Server Efficiency with SERT: 65 % CPU, 30 % memory, 5 % storage."""
    suite = find_suite("graduated-server")
    assert suite.weights == {"cpu": 0.65, "memory": 0.30, "storage": 0.05}
    assert suite.percent == (100, 87.5, 75, 62.5, 50, 37.5, 25, 12.5)


def test_an_unknown_suite_is_answered_with_those_that_exist() -> None:
    with pytest.raises(InputError, match="There is no suite 'graduated'"):
        find_suite("graduated")
