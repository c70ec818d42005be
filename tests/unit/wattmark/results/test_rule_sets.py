"""Rule sets of others on a run: judged from what is known, never from what is not."""

import pytest
from wattmark.runs.record import Phase, PhaseName

BEGIN_NS = 1_700_000_000_000_000_000
PRECISE = {"reading_pct": 0.1, "fixed_w": 0.0, "simulated": False}


def found(result, rule):
    (verdict,) = [v for v in result.standards if v.rule == rule]
    return verdict


def test_every_result_carries_each_set_once(measure):
    rules = [v.rule for v in measure().standards]
    assert rules == ["spec-cpu", "mlperf-power", "eehpc"]


def test_spec_cpu_like_gate_is_kept_by_a_meter_of_a_tenth_of_a_percent(measure, meter):
    verdict = found(measure(meters=(meter(**PRECISE),)), "spec-cpu")
    assert (verdict.outcome, verdict.value, verdict.limit) == ("pass", 4.0, 4.0)


def test_spec_cpu_like_gate_fails_for_a_meter_of_one_and_a_half_percent(measure):
    """1.5 % of the reading and 0.3 W at 250 W are 1.62 %; the harness allows 1 % on average, 5 % of samples above."""
    verdict = found(measure(watts=250.0), "spec-cpu")
    assert (verdict.outcome, verdict.value) == ("fail", 2.0)
    assert "watts: 1.62 %, at most 1 %" in verdict.text
    assert "above 1 % of their watts: 100 %, at most 5 %" in verdict.text


def test_meter_without_specification_fails_by_unknown_share_and_has_no_average(measure, meter):
    verdict = found(measure(meters=(meter(reading_pct=None, range_pct=None, fixed_w=None),)), "spec-cpu")
    assert verdict.outcome == "fail"
    assert "not known (auto range): 100 %" in verdict.text
    assert "Not known: mean of the samples' limits of error" in verdict.text


def test_what_no_record_tells_stays_unknown(measure, meter):
    verdict = found(measure(meters=(meter(**PRECISE),)), "mlperf-power")
    assert (verdict.outcome, verdict.value) == ("not-applicable", None)
    assert "accepted analyzers" in verdict.text
    assert "Not kept" not in verdict.text


def test_a_simulator_is_on_no_list_of_analyzers(measure, meter):
    result = measure(meters=(meter(reading_pct=0.1, fixed_w=0.0, simulated=True),), simulated=True)
    verdict = found(result, "mlperf-power")
    assert verdict.outcome == "fail"
    assert "Not kept: the meter is on the list of accepted analyzers: no" in verdict.text


@pytest.mark.parametrize(("pause_s", "kept"), [(12, True), (8, False)])
def test_pauses_before_and_after_come_from_the_phases(measure, meter, pause_s, kept):
    """MLPerf's flow rests 10 s before and after the load."""
    end = BEGIN_NS + 100 * 10**9
    phases = (
        Phase(name=PhaseName.IDLE, begin_ns=BEGIN_NS - pause_s * 10**9, end_ns=BEGIN_NS),
        Phase(name=PhaseName.COOL_DOWN, begin_ns=end, end_ns=end + 30 * 10**9),
    )
    verdict = found(measure(meters=(meter(**PRECISE),), phases=phases), "mlperf-power")
    assert ("shortest pause" in verdict.text) is not kept


def test_level_is_not_claimed_where_its_facts_are_not_known(measure, meter):
    verdict = found(measure(meters=(meter(**PRECISE),)), "eehpc")
    assert (verdict.outcome, verdict.value) == ("not-applicable", None)
    assert verdict.text.startswith("Whether this run meets EE HPC level 1 is not known. Not known: samples a second")


def test_level_fails_for_a_coarse_meter(measure, meter):
    """Level 1 allows 5 %."""
    verdict = found(measure(meters=(meter(reading_pct=6.0),)), "eehpc")
    assert (verdict.outcome, verdict.value) == ("fail", 0.0)
    assert verdict.text.startswith("This run meets no EE HPC level. For EE HPC level 1: Not kept: limit of error")


def test_run_without_power_claims_nothing(measure):
    result = measure(meters=())
    assert {found(result, rule).outcome for rule in ("spec-cpu", "mlperf-power", "eehpc")} == {"not-applicable"}


def test_two_meters_of_one_server_combine(measure, meter):
    """EE HPC: N meters of equal shares and 3 % are 3/sqrt(N) %; two of 6 % are 4.24 %, inside level 1's 5 %."""
    coarse = {"reading_pct": 6.0, "fixed_w": 0.0}
    both = (meter(**coarse), meter(**coarse | {"name": "second"}))
    assert found(measure(meters=both), "eehpc").outcome == "not-applicable"
