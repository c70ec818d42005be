"""Rule sets of others on a run: judged from what is known, never from what is not."""

import re

import numpy as np
import pytest
from wattmark.results.evaluate import evaluate
from wattmark.runs.disclosure import Disclosure, StartGroup, Task, WorkloadAsRun
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import Phase

BEGIN_NS = 1_700_000_000_000_000_000
PRECISE = {"reading_pct": 0.1, "fixed_w": 0.0, "simulated": False}


def verdict_of(result, rule):
    (verdict,) = [v for v in result.standards if v.rule == rule]
    return verdict


def test_every_result_carries_each_set_once(measure):
    rules = [v.rule for v in measure().standards]
    assert rules == ["spec-cpu", "mlperf-power", "eehpc"]


def test_spec_cpu_like_gate_is_kept_by_a_meter_of_a_tenth_of_a_percent(measure, meter):
    verdict = verdict_of(measure(meters=(meter(**PRECISE),)), "spec-cpu")
    assert (verdict.outcome, verdict.value, verdict.limit) == ("pass", 4.0, 4.0)


def test_spec_cpu_like_gate_fails_for_a_meter_of_one_and_a_half_percent(measure):
    """1.5 % of the reading and 0.3 W at 250 W are 1.62 %; the harness allows 1 % on average, 5 % of samples above."""
    verdict = verdict_of(measure(watts=250.0), "spec-cpu")
    assert (verdict.outcome, verdict.value) == ("fail", 2.0)
    assert "watts: 1.62 %, at most 1 %" in verdict.text
    assert "above 1 % of their watts: 100 %, at most 5 %" in verdict.text


def test_limits_of_a_meter_without_specification_are_not_known(measure, meter):
    """That no sample is known to be too uncertain is no proof that all are good enough."""
    result = measure(meters=(meter(reading_pct=None, range_pct=None, fixed_w=None),))
    gate, rules = verdict_of(result, "spec-cpu"), verdict_of(result, "mlperf-power")
    assert (gate.outcome, gate.value) == ("not-checked", None)
    assert "1 of 4 rules are kept" in gate.text
    assert "Not known: mean of the samples' limits of error" in gate.text
    assert "share of samples whose limit of error is above" in rules.text


@pytest.mark.parametrize("end_ns", [678_395_000_001, 600_003_999_999, 868_016_999_999])
def test_a_core_phase_measured_from_end_to_end_is_measured_whole(measure, meter, end_ns):
    """Whatever its length in nanoseconds, no rounding may turn it into less than 100 %."""
    run = measure(meters=(meter(**PRECISE),), throughput=(), stated_throughput=8000.0, window_end_ns=BEGIN_NS + end_ns)
    assert "share of the core phase that was measured" not in verdict_of(run, "eehpc").text


def test_a_core_phase_measured_in_part_fails(measure, meter):
    """The throughput intervals end after 100 s, the marked work after 200 s."""
    verdict = verdict_of(measure(meters=(meter(**PRECISE),), window_end_ns=BEGIN_NS + 200 * 10**9), "eehpc")
    assert verdict.outcome == "fail"
    assert "share of the core phase that was measured: 50 %, at least 100 %" in verdict.text


def test_what_no_record_tells_stays_unknown(measure, meter):
    verdict = verdict_of(measure(meters=(meter(**PRECISE),)), "mlperf-power")
    assert (verdict.outcome, verdict.value) == ("not-checked", None)
    assert "accepted analyzers" in verdict.text
    assert "Not kept" not in verdict.text


def test_a_simulator_is_on_no_list_of_analyzers(measure, meter):
    result = measure(meters=(meter(reading_pct=0.1, fixed_w=0.0, simulated=True),), simulated=True)
    verdict = verdict_of(result, "mlperf-power")
    assert verdict.outcome == "fail"
    assert "Not kept: the meter is on the list of accepted analyzers: no" in verdict.text


@pytest.mark.parametrize(("pause_s", "within"), [(12, True), (8, False)])
def test_pauses_before_and_after_come_from_the_phases(measure, meter, pause_s, within):
    """MLPerf's flow rests 10 s before and after the load."""
    end = BEGIN_NS + 100 * 10**9
    phases = (
        Phase(name=PhaseName.IDLE, begin_ns=BEGIN_NS - pause_s * 10**9, end_ns=BEGIN_NS),
        Phase(name=PhaseName.COOL_DOWN, begin_ns=end, end_ns=end + 30 * 10**9),
    )
    verdict = verdict_of(measure(meters=(meter(**PRECISE),), phases=phases), "mlperf-power")
    assert ("shortest pause" in verdict.text) is not within


def test_level_is_not_claimed_where_its_facts_are_not_known(measure, meter):
    verdict = verdict_of(measure(meters=(meter(**PRECISE),)), "eehpc")
    assert (verdict.outcome, verdict.value) == ("not-checked", None)
    assert verdict.text.startswith("Whether this run meets EE HPC level 1 is not known. Not known: samples a second")


def test_hpc_on_one_node_reaches_level_1_and_says_what_level_2_needs(measure):
    """All of the machine and of its subsystems is behind the plug; nobody reports the mean of the whole job."""
    verdict = verdict_of(measure(disclosure={"workload": WorkloadAsRun(one_node=True)}), "eehpc")
    assert (verdict.outcome, verdict.value) == ("pass", 1.0)
    assert verdict.text.startswith("This run meets EE HPC level 1. For EE HPC level 2: Not known: ")
    assert "mean power of the whole run is reported" in verdict.text


@pytest.mark.parametrize(
    ("changes", "unknown"),
    [
        ({"period_s": 2.0}, "samples a second inside the meter"),
        ({"role": "bmc"}, "enough of the machine is measured for level 1"),
        ({"partial": True}, "enough of the machine is measured for level 1"),
    ],
)
def test_what_is_not_known_of_the_meter_leaves_the_level_open(measure, meter, changes, unknown):
    disclosure = {"workload": WorkloadAsRun(one_node=True)}
    verdict = verdict_of(measure(meters=(meter(**PRECISE, **changes),), disclosure=disclosure), "eehpc")
    assert verdict.outcome == "not-checked"
    assert unknown in verdict.text


def test_a_node_of_several_is_not_the_machine(measure):
    group = StartGroup(barrier="wattmark", target_s=0.1)
    disclosure = {"workload": WorkloadAsRun(one_node=True), "together": group}
    verdict = verdict_of(measure(disclosure=disclosure), "eehpc")
    assert (verdict.outcome, verdict.value) == ("not-checked", None)


def test_level_fails_for_a_coarse_meter(measure, meter):
    """Level 1 allows 5 %."""
    verdict = verdict_of(measure(meters=(meter(reading_pct=6.0),)), "eehpc")
    assert (verdict.outcome, verdict.value) == ("fail", 0.0)
    assert verdict.text.startswith("This run meets no EE HPC level. For EE HPC level 1: Not kept: limit of error")


def test_run_without_power_claims_nothing(measure):
    result = measure(meters=())
    assert {verdict_of(result, rule).outcome for rule in ("spec-cpu", "mlperf-power", "eehpc")} == {"not-checked"}


def test_two_meters_of_one_server_combine(measure, meter):
    """EE HPC: N meters of equal shares and 3 % are 3/sqrt(N) %; two of 6 % are 4.24 %, inside level 1's 5 %."""
    coarse = {"reading_pct": 6.0, "fixed_w": 0.0}
    both = (meter(**coarse), meter(**coarse | {"name": "second"}))
    assert verdict_of(measure(meters=both), "eehpc").outcome == "not-checked"


@pytest.mark.parametrize(("step_s", "within"), [(1.0003, True), (1.2, False)])
def test_jitter_of_stamps_makes_no_slower_sampling(store, record, meter, step_s, within):
    """MLPerf's flow samples every second; a host that stamps 0.3 ms late does so too."""
    t = np.arange(-20.0, 120.0, step_s)
    store.add("r1", "outlet", "power", t, np.full(len(t), 250.0))
    verdict = verdict_of(evaluate(record(meters=(meter(**PRECISE),)), store), "mlperf-power")
    assert ("time between two readings as recorded: 1.2 s, at most 1 s" in verdict.text) is not within
    assert ("time between two readings" in verdict.text) is not within


def idle(measure, meter, window_s=900, ramp=0.0, reading_pct=0.1, **changes):
    """Measure active idle of 150 W; its watts rise by ``ramp`` over the window."""
    run = {"throughput": (), "stated_throughput": None, "window_end_ns": BEGIN_NS + window_s * 10**9}
    run |= {"disclosure": Disclosure(task=Task(task="idle"))}
    meters = (meter(**PRECISE | {"reading_pct": reading_pct}),)
    return measure(watts=150.0, ramp=ramp, meters=meters, **run | changes)


def test_an_idle_server_that_is_steady_for_15_minutes_keeps_the_rules_of_idle_power(measure, meter):
    verdict = verdict_of(idle(measure, meter), "iec-62301")
    assert (verdict.outcome, verdict.value, verdict.limit) == ("pass", 5.0, 5.0)


def test_idle_power_that_rises_by_more_than_a_percent_per_hour_is_not_stable(measure, meter):
    """0.75 W in 900 s are 3 W/h, 1.99 times the 1 % of 150.5 W; 0.3 W are 1.2 W/h, 0.8 times."""
    verdict = verdict_of(idle(measure, meter, ramp=0.75, noise_w=0.01), "iec-62301")
    assert (verdict.outcome, verdict.value) == ("fail", 4.0)
    said = re.search(r"last two thirds of the idle period, over its limit: ([\d.]+), at most 1", verdict.text)
    assert said is not None
    assert float(said[1]) == pytest.approx(1.99, abs=0.03)
    assert verdict_of(idle(measure, meter, run_id="r2", ramp=0.3, noise_w=0.01), "iec-62301").outcome == "pass"


def test_a_short_interval_of_idle_is_said_to_be_short(measure, meter):
    verdict = verdict_of(idle(measure, meter, window_s=60), "iec-62301")
    assert verdict.outcome == "fail"
    assert "length of the window: 60 s, at least 900 s" in verdict.text


def test_beyond_the_strictest_limit_only_the_current_ratio_could_tell(measure, meter):
    """A limit of 3 % is U95 = 3 % x 1.96 / sqrt(3) = 3.4 %: beyond 2 %, and within 2 % x (1 + 0.08 x 10) = 3.6 %."""
    unknown = verdict_of(idle(measure, meter, reading_pct=3.0), "iec-62301")
    assert unknown.outcome == "not-checked"
    assert "over its limit by current ratio" in unknown.text
    known = idle(measure, meter, reading_pct=3.0, facts={"current_ratio": 20.0})
    assert verdict_of(known, "iec-62301").outcome == "pass"
    low = idle(measure, meter, reading_pct=3.0, facts={"current_ratio": 12.0})
    assert verdict_of(low, "iec-62301").outcome == "fail"


def share(level, asks_per_s=0.1):
    """Disclose that a rate was asked for as a share of the maximum."""
    declaration = {"level": {"one": "unit", "many": "units", "asks_per_s": asks_per_s}}
    return Disclosure(task=Task(task="share", percent=50, level=level), workload=WorkloadAsRun(declaration=declaration))


@pytest.mark.parametrize(
    ("level", "outcome", "off_pct"),
    [(80_000, "pass", 0.0), (81_200, "pass", -1.478), (82_000, "fail", -2.439), (78_000, "fail", 2.564)],
)
def test_a_share_of_the_maximum_is_held_against_the_rate_that_was_asked_for(measure, level, outcome, off_pct):
    """8,000 units a second were done; the level counts units in 10 s."""
    verdict = verdict_of(measure(disclosure=share(level)), "target-load")
    assert (verdict.outcome, verdict.limit, verdict.unit) == (outcome, 2.0, "%")
    assert verdict.value == pytest.approx(off_pct, abs=0.001)


def test_a_level_that_is_no_rate_has_no_target(measure):
    verdict = verdict_of(measure(disclosure=share(4, None)), "target-load")
    assert verdict.outcome == "not-checked"
