"""What a plan is expected to show, held to what simulated campaigns then show."""

import json
import math
from datetime import datetime
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from wattmark.bench.bench import Bench
from wattmark.campaigns.planning.earlier import Earlier, from_results, no_runs
from wattmark.campaigns.planning.forecast import ASSUMED_SD, ForecastLab, forecast
from wattmark.comparison.compare.compare import compare
from wattmark.results.evaluate import evaluate
from wattmark.runs.record import ThroughputInterval
from wattmark.traceability.certificates.register import CertificateRegister

MLPERF = Path(__file__).parents[4] / "../shared/data/mlperf-power-v1.0/closed"
BEGIN_NS = 1_700_000_000_000_000_000
POWER_W, NOISE_W = 370.0, 0.8
CAMPAIGNS = 100
POWER_OF_TEST = 0.80
"""The probability that a forecast promises; of 100 campaigns, two standard deviations are 0.08."""


def bench(**changes):
    plan = {
        "name": "p",
        "configurations": ["s1/fbdimm-2", "s1/fbdimm-4"],
        "workloads": ["openssl.rsa1024-sign"],
        "levels": [4],
        "repeats": 3,
        "measure_s": 60,
    }
    cpu, os = {"model": "any"}, {"name": "any", "kernel": "any"}
    configurations = [{"id": f"fbdimm-{n}", "cpu": cpu, "os": os} for n in (2, 4)]
    return Bench.model_validate(
        {
            "schema": "wattmark-bench/1",
            "lab": "Test",
            "servers": [
                {"id": server, "access": {"local": True}, "prepare": "manual", "configurations": configurations}
                for server in ("s1", "s2")
            ],
            "plans": [plan | changes],
        }
    )


def expect(meters, earlier=None, power_w=POWER_W, **changes):
    of = bench(**changes)
    tell = no_runs if earlier is None else lambda *_: earlier
    return forecast(of.plan("p"), of, ForecastLab(lambda _: meters, tell, CertificateRegister(), BEGIN_NS), power_w)


@pytest.fixture
def runs(store, record, meter):
    """Make the runs of a campaign of two configurations, the second better by ``gain``, on one meter of its own error.

    Its gain errs within the limit, its curve at each configuration within a fifth of it, as the budget assumes.
    """

    def make(seed, *, repeats, sd, gain=0.0, duration_s=60):
        rng = np.random.default_rng(seed)
        limit = meter().reading_pct / 100 + meter().fixed_w / POWER_W
        error = rng.uniform(-limit, limit)
        results = []
        for dimms, better in ((2, 0.0), (4, gain)):
            curved = 0.2 * rng.uniform(-limit, limit)
            for repeat in range(repeats):
                watts = POWER_W * math.exp(rng.normal(0, sd) - better)
                t = np.arange(-30.0, duration_s + 20)
                value = (1 + error + curved) * (watts + rng.normal(0, NOISE_W, len(t)))
                run_id = f"{seed}-{dimms}-{repeat}"
                store.add(run_id, "outlet", "power", t, np.round(value, 1))
                work = tuple(
                    ThroughputInterval(begin_ns=BEGIN_NS + k * 10**9, end_ns=BEGIN_NS + (k + 1) * 10**9, amount=8000)
                    for k in range(duration_s)
                )
                run = record(run_id, dimms=dimms, duration_s=duration_s, repeat=repeat + 1, throughput=work)
                results.append(evaluate(run, store))
        store.rows.clear()
        return results

    return make


def share_found(intervals, gain):
    """Return the share of intervals of a log ratio without a difference that exclude 0 once there is one."""
    return np.mean([low + gain > 0 or high + gain < 0 for low, high in intervals])


@pytest.mark.parametrize(("repeats", "sd"), [(3, 0.004), (5, 0.010)])
def test_the_forecast_difference_is_found_as_often_as_it_says(runs, meter, repeats, sd):
    """The test finds the forecast difference in four of five campaigns, half of it rarely, and none where none is.

    Every difference shifts the same intervals, so one set of campaigns tells all three.
    """
    known = from_results(runs(9000, repeats=10, sd=sd))
    assert known.scatter.sd == pytest.approx(sd, rel=0.3)
    known = Earlier(POWER_W, _exactly(known.scatter, sd), 20)
    (row,) = expect((meter(),), known, repeats=repeats).rows
    assert row.scatter_basis == "earlier runs"
    difference = math.log1p(row.repeats[0].difference_pct / 100)
    intervals = []
    for seed in range(CAMPAIGNS):
        (pair,) = compare(runs(seed, repeats=repeats, sd=sd, gain=difference), "rsa", "all", "s1/fbdimm-2").pairs
        low, high = math.log(pair.ratio.low) - difference, math.log(pair.ratio.high) - difference
        assert pair.significant == (share_found([(low, high)], difference) == 1)
        intervals.append((low, high))
    assert share_found(intervals, difference) == pytest.approx(POWER_OF_TEST, abs=0.1)
    assert share_found(intervals, difference / 2) < 0.5
    assert share_found(intervals, 0.0) <= 0.08


def _exactly(scatter, sd):
    """Replace the estimate of the scatter by what was put into the simulation."""
    return type(scatter)(sd, min(scatter.within, sd), scatter.window_s, scatter.dof)


@pytest.mark.parametrize("repeats", [3, 5])
def test_the_forecast_interval_is_as_wide_as_those_of_the_runs(runs, meter, repeats):
    sd = 0.006
    known = Earlier(POWER_W, _exactly(from_results(runs(1, repeats=5, sd=sd)).scatter, sd), 10)
    (row,) = expect((meter(),), known, repeats=repeats).rows
    widths = []
    for seed in range(25):
        group = compare(runs(seed, repeats=repeats, sd=sd), "rsa", "all").groups[0]
        widths.append(50 * (group.efficiency.high - group.efficiency.low) / group.efficiency.value)
    assert row.repeats[0].u95_pct == pytest.approx(np.median(widths), rel=0.12)


def test_more_repeats_show_smaller_differences_down_to_what_the_meter_leaves(meter):
    (row,) = expect((meter(),)).rows
    shown = [step.difference_pct for step in row.repeats]
    assert [step.repeats for step in row.repeats] == [3, 5, 10]
    assert shown == sorted(shown, reverse=True)
    assert shown[-1] > row.least_pct
    assert row.summary.startswith(f"With outlet at about 370 W, 3 repeats show differences of {shown[0]:.1f} % or more")


def test_without_earlier_runs_scatter_and_power_are_assumed_and_said(meter):
    (row,) = expect((meter(),), power_w=None).rows
    assert (row.power_basis, row.power_w, row.scatter_basis) == ("assumed", 400.0, "assumed")
    assert row.scatter_pct == pytest.approx(100 * ASSUMED_SD, rel=0.01)
    assert "MLPerf" in row.basis[1]


def test_a_short_window_and_few_repeats_are_told_what_they_cannot_show(meter):
    (row,) = expect((meter(),), measure_s=30, repeats=1).rows
    text = " ".join(row.limits)
    assert "Differences are tested from 3 repeats on; the plan has 1." in text
    assert "Steadiness cannot be judged over 30 s with 30 readings: it needs 60 s and 20 readings." in text
    (row,) = expect((meter(),), measure_s=240).rows
    assert "Steadiness" not in " ".join(row.limits)


def test_a_meter_without_limits_of_error_gives_no_plus_minus_but_a_difference(meter):
    """On the same meter its unknown gain is taken to cancel; between two such meters nothing is tested."""
    unknown = meter(reading_pct=None, fixed_w=None, range_pct=None)
    (row,) = expect((unknown,)).rows
    assert (row.repeats[0].u95_pct, row.least_pct) == (None, None)
    assert row.repeats[0].difference_pct > 0
    both = ["s1/fbdimm-2", "s2/fbdimm-2"]
    of = bench(configurations=both)
    meters = {"s1": (unknown,), "s2": (unknown.model_copy(update={"name": "other"}),)}
    expected = forecast(of.plan("p"), of, ForecastLab(meters.get, no_runs, CertificateRegister(), BEGIN_NS), POWER_W)
    assert expected.between_servers == ["openssl.rsa1024-sign: no difference between s1 and s2 can be tested."]


def test_two_servers_on_meters_of_their_own_differ_by_more(meter):
    of = bench(configurations=["s1/fbdimm-2", "s2/fbdimm-2"])
    meters = {"s1": (meter(),), "s2": (meter(name="other"),)}
    expected = forecast(of.plan("p"), of, ForecastLab(meters.get, no_runs, CertificateRegister(), BEGIN_NS), POWER_W)
    (between,) = expected.between_servers
    percent = float(between.partition("differences of ")[2].split()[0])
    assert percent > expected.rows[0].repeats[0].difference_pct


def test_a_register_that_is_too_coarse_for_the_window_is_told(meter):
    """0.1 Wh steps over 30 s at 370 W: q/sqrt(6) of 0.041 Wh is 1.3 % of 3.08 Wh, above 0.5 %."""
    counter = meter(kind="counter", resolution_w=0.1)
    (row,) = expect((counter,), measure_s=30).rows
    assert any("too coarse for a window of 30 s" in text for text in row.limits)
    (row,) = expect((counter,), measure_s=600).rows
    assert not any("too coarse" in text for text in row.limits)


def test_a_precision_that_cannot_be_reached_is_told(meter):
    (row,) = expect((meter(),), repeat_until={"efficiency_ci_pct": 0.5, "at_most": 10}).rows
    assert any(text.startswith("0.5 % will not be reached: 10 repeats give ") for text in row.limits)


def test_a_server_without_a_meter_shows_nothing():
    (row,) = expect(()).rows
    assert row.summary == "With no meter at about 370 W no difference in performance per watt can be shown."
    assert row.limits[0]


def test_earlier_runs_give_power_and_scatter(runs):
    earlier = from_results(runs(3, repeats=4, sd=0.005))
    assert earlier.runs == 8
    assert earlier.power_w == pytest.approx(POWER_W, rel=0.04)
    assert earlier.scatter.dof == 6
    assert partial(no_runs, "s1", "w", ())().power_w is None


@pytest.mark.skipif(not MLPERF.is_dir(), reason="the MLPerf samples are not here")
def test_the_assumed_scatter_is_that_of_two_runs_of_mlperf_results():
    """Ranging and testing run of each result: sqrt(sum of squared differences of the logarithms / 2 n), 0.85 %."""
    squares = []
    for folder in MLPERF.glob("*/results/*/*/*/performance"):
        ranging, testing = (_log_efficiency(folder / part) for part in ("ranging", "run_1"))
        squares.append((testing - ranging) ** 2)
    assert len(squares) == 6
    sd = math.sqrt(sum(squares) / (2 * len(squares)))
    assert sd == pytest.approx(0.0085, abs=0.00005)
    assert sd < ASSUMED_SD < 1.2 * sd


def _log_efficiency(folder):
    """Work per joule of a run by the mean of its log of power between its own marks; a set rate of work cancels."""
    said = [json.loads(line[9:]) for line in (folder / "mlperf_log_detail.txt").read_text().splitlines()]
    value = {entry["key"]: entry["value"] for entry in said}
    begin, end = (_stamp(value[key]) for key in ("power_begin", "power_end"))
    rows = [line.split(",") for line in (folder / "spl.txt").read_text().splitlines()]
    watts = [float(row[3]) for row in rows if begin <= _stamp(row[1]) <= end]
    offline = value.get("result_samples_per_second")
    return math.log(offline or 1.0) - math.log(np.mean(watts))


def _stamp(text):
    return datetime.strptime(f"{text}+0000", "%m-%d-%Y %H:%M:%S.%f%z")


@pytest.mark.parametrize("order", ["as-listed", "random"])
def test_a_plan_that_measures_one_after_the_other_is_told_so_with_what_turns_cost(meter, order):
    """Two configurations x 3: one change of modules, in random blocks five, up and down three."""
    row = expect([meter()], order=order).rows[0]
    assert [step.difference_pct for step in row.repeats] == [None] * len(row.repeats)
    assert row.summary.endswith("are not separable from time, whatever their size.")
    limit = row.limits[0]
    assert "Differences between configurations of s1 will not be called significant" in limit
    assert "(1 change of configuration)" in limit
    assert "random blocks (5 changes of configuration) or up and down (3 changes of configuration)" in limit
    assert row.repeats[0].u95_pct is not None


@pytest.mark.parametrize("order", ["random-blocks", "up-and-down"])
def test_a_plan_that_measures_in_turns_is_forecast_as_such(meter, order):
    row = expect([meter()], order=order).rows[0]
    assert row.repeats[0].difference_pct is not None
    assert not any("significant" in text for text in row.limits)


def test_servers_that_are_measured_one_after_the_other_are_told_so_too(meter):
    places = ["s1/fbdimm-2", "s2/fbdimm-2"]
    expected = expect([meter()], configurations=places, order="as-listed").between_servers
    assert expected[-1].startswith("Not separable from time")
    assert "s1 and s2" in expected[-1]
    assert len(expect([meter()], configurations=places).between_servers) == 1


@pytest.mark.parametrize(
    ("averaging_s", "plan", "said"),
    [
        (60, {"settle_s": 30}, True),
        (60, {"settle_s": 60}, False),
        (60, {"settle_s": 30, "ramp_s": 40}, True),
        (60, {"settle": {"until": "steady", "at_least_s": 90}}, False),
        (60, {"settle": {"until": "steady", "at_least_s": 20}}, True),
        (1, {"settle_s": 30}, False),
        (None, {"settle_s": 0}, False),
    ],
)
def test_settling_shorter_than_an_averaging_time_is_said_with_what_to_do(meter, averaging_s, plan, said):
    (row,) = expect((meter(averaging_s=averaging_s, period_s=1.0),), measure_s=240, **plan).rows
    limits = [limit for limit in row.limits if "averages over 60 s, longer than the" in limit]
    assert bool(limits) is said
    setting = "settle.at_least_s" if "settle" in plan else "settle_s"
    assert all(limit.endswith(f"Set {setting} to 60 or more, or let the meter average over less.") for limit in limits)
