"""When a run need not be made, and whether power has settled: pure functions with answers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from wattmark.bench.plan_rules import StopRule
from wattmark.campaigns.planning.decisions import rate, saturated
from wattmark.campaigns.planning.planned import PlannedRun
from wattmark.campaigns.planning.time_budget import fitting
from wattmark.campaigns.watch.live_feed import LiveTrace
from wattmark.campaigns.watch.settling import steady
from wattmark.runs.record import ThroughputInterval

from tests.stored_run import make_run

RUN = PlannedRun(0, "a", "c", "w", "1 client", 1, 1, expected_s=10.0)


@pytest.mark.parametrize(
    ("rates", "ends"),
    [
        ([100], False),
        ([100, 200], False),
        ([100, 101, 200], False),
        ([100, 101, 101.9], True),
        ([100, 101, 102.1], False),
        ([100, 200, 390, 395, 380], True),
        ([100, 200, 390, 380, 420], False),
    ],
)
def test_a_curve_is_saturated_when_no_level_of_the_last_two_gains_two_percent(rates: list[float], ends: bool) -> None:
    rule = StopRule(gain_below_pct=2, over_levels=2)
    reason = saturated([(f"{2**n} clients", float(rate)) for n, rate in enumerate(rates)], rule)
    assert (reason is not None) is ends


def test_the_best_level_before_is_named() -> None:
    rule = StopRule(gain_below_pct=2, over_levels=1)
    assert saturated([("1 client", 50.0), ("2 clients", 100.0), ("4 clients", 99.0)], rule) == (
        "Throughput no longer grows: over the last level it rose by at most 2 % above 100 at 2 clients."
    )


def test_first_repeats_fit_before_later_ones_and_short_runs_fill_what_is_left() -> None:
    runs = [
        replace(RUN, order=0, repeat=1),
        replace(RUN, order=1, repeat=2),
        replace(RUN, order=2, repeat=1, expected_s=30.0),
        replace(RUN, order=3, repeat=2, expected_s=4.0),
    ]
    assert fitting(runs, 100) == {0, 1, 2, 3}
    assert fitting(runs, 45) == {0, 2, 3}
    assert fitting(runs, 25) == {0, 1, 3}
    assert fitting(runs, 3) == set()


def test_a_calibration_fits_only_together_with_its_levels() -> None:
    curve = [
        replace(RUN, order=0, task="calibrate", level="calibration 1"),
        replace(RUN, order=1, task="share", level="100 %", percent=100.0),
        replace(RUN, order=2, task="idle", level="active idle"),
    ]
    assert fitting(curve, 30) == {0, 1, 2}
    assert fitting(curve, 29) == set()


def test_throughput_of_a_record_is_what_it_states_or_the_work_between_its_marks() -> None:
    record = make_run(
        begin_ns=0, window_s=4,
        throughput=(
            ThroughputInterval(begin_ns=0, end_ns=10**9, amount=30),
            ThroughputInterval(begin_ns=2 * 10**9, end_ns=3 * 10**9, amount=50),
        ),
    )  # fmt: skip
    assert rate(record) == 20.0
    assert rate(record.model_copy(update={"stated_throughput": 7.0})) == 7.0
    assert rate(record.model_copy(update={"throughput": ()})) is None


def trace(watts: np.ndarray) -> LiveTrace:
    return LiveTrace("wall", "power", "power", tuple(map(float, range(len(watts)))), tuple(watts.tolist()))


def test_power_has_settled_when_the_tests_of_the_method_hold() -> None:
    noise = np.random.default_rng(4).normal(0, 1, 61)
    assert steady(trace(300 + noise), 60) is True
    assert steady(trace(300 + noise + np.linspace(0, 9, 61)), 60) is False, "a drift of 3 %, the limit is 1 %"
    assert steady(trace(300 + noise + 12 * (np.arange(61) > 30)), 60) is False, "a step of 4 %, the limit is 2 %"
    assert steady(trace((300 + noise)[:50]), 60) is None, "too short a look back"
    assert steady(trace(np.full(5, 300.0)), 4) is None, "too few readings"
