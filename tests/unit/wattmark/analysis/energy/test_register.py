"""Energy registers: roll-over, agreement with the integral of power, and when mean power rests on them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from wattmark.analysis.efficiency.window import COMPLETE, MLPERF
from wattmark.analysis.energy.meter_power import RegisterReading, agreement
from wattmark.analysis.energy.power import analyse_power
from wattmark.analysis.energy.register import last_digit, register_power, unwrapped
from wattmark.analysis.energy.trace import clean
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits
from wattmark_calibration import Specification

DURATION_S = 600.0
T_S = np.arange(-20.0, DURATION_S + 21)
WH_PER_WS = 1 / 3600


@pytest.fixture
def metered(make_trace):
    """245 W (0.3 W of noise) with a register that counts ``counted_w``, ``step_wh`` at a time."""

    def make(counted_w=245.0, step_wh=0.01, start_wh=1000.0, wraps_at=None, reset=False, **instrument):
        watts = 245 + np.random.default_rng(3).normal(0, 0.3, len(T_S))
        count = start_wh + counted_w * (T_S - T_S[0]) * WH_PER_WS
        count = np.floor(count / step_wh) * step_wh
        count = count if wraps_at is None else np.mod(count, wraps_at)
        count = np.where(T_S > 300, count - count[T_S > 300][0], count) if reset else count
        register = make_trace(T_S, count, kind="counter", unit="Wh", resolution=step_wh, wraps_at=wraps_at)
        return replace(make_trace(T_S, watts, resolution=0.1, **instrument), register=register)

    return make


@pytest.fixture
def analyse(make_window):
    def run(trace, rule=COMPLETE, limits=None):
        power = analyse_power([trace], make_window(DURATION_S, rule), limits or Limits())
        return power, next(v for v in power.verdicts if v.rule == "register")

    return run


def test_worked_limit():
    """method 1: a 0.1 Wh register is uncertain by 147 J; with 200 J of the integral the limit is 2 x 248.2 J."""
    reading = RegisterReading(147_000.0, 0.1 * 3600 / np.sqrt(6))
    verdict = agreement("meter", 147_400.0, 200.0, reading)
    assert verdict.value == pytest.approx(400.0)
    assert verdict.limit == pytest.approx(496.4, abs=0.1)
    assert verdict.outcome == "pass"
    assert agreement("meter", 147_500.0, 200.0, reading).outcome == "fail"


def test_a_fine_register_carries_the_mean(analyse, metered):
    """0.01 Wh are 14.7 J of 147 kJ, 0.01 %; the register counts 245.1 W and the mean follows it."""
    result, verdict = analyse(metered(counted_w=245.1))
    assert verdict.outcome == "pass"
    assert "computed from the energy register" in verdict.text
    assert result.mean.value == pytest.approx(245.1, abs=0.05)
    last = next(c for c in result.mean.contributions if c.name.startswith("Register"))
    assert last.u_result == pytest.approx(0.01 * 3600 / np.sqrt(6) / DURATION_S, rel=1e-4)


def test_a_coarse_register_only_checks(analyse, metered):
    """10 Wh of 41, and no step of it before the window: too coarse to carry the mean."""
    result, verdict = analyse(metered(counted_w=245.5, step_wh=10.0))
    assert verdict.outcome == "pass"
    assert result.mean.value == pytest.approx(245.0, abs=0.1)


def test_a_register_that_disagrees_fails_and_does_not_carry(analyse, metered):
    result, verdict = analyse(metered(counted_w=260.0))
    assert verdict.outcome == "fail"
    assert abs(verdict.value) > verdict.limit
    assert result.mean.value == pytest.approx(245.0, abs=0.1)


@pytest.mark.parametrize(
    ("limit_pct", "counted_w", "outcome"), [(1.0, 247.5, "fail"), (1.0, 245.2, "pass"), (5.0, 257.0, "fail")]
)
def test_the_meters_own_limit_hides_no_loss(analyse, metered, limit_pct, counted_w, outcome):
    """Both readings share the meter's gain: 1 % of the energy missing shows on a meter of 1 %, 5 % on one of 5 %."""
    specification = Specification(reading_pct=limit_pct, source="a made-up meter")
    _, verdict = analyse(metered(counted_w=counted_w, specification=specification))
    assert verdict.outcome == outcome
    # edges and digits of 600 s are worth some 0.01 %: the tenth of the limit rules
    assert verdict.limit == pytest.approx(2 * 0.1 * limit_pct / 100 * 245 * 600 / np.sqrt(3), rel=0.15)


def test_scatter_counts_where_the_meter_saw_instants(analyse, metered):
    averaged = analyse(metered(kind="averaged"))[1].limit
    assert analyse(metered(kind="instantaneous"))[1].limit > averaged


def test_mean_of_samples_stays_a_mean_of_samples(analyse, metered):
    result, verdict = analyse(metered(counted_w=245.1), MLPERF)
    assert verdict.outcome == "pass"
    assert result.mean.value == pytest.approx(245.0, abs=0.05)


def test_roll_over_at_the_declared_modulus(analyse, metered):
    result, verdict = analyse(metered(counted_w=245.1, start_wh=999.98, wraps_at=1000.0))
    assert verdict.outcome == "pass"
    assert result.mean.value == pytest.approx(245.1, abs=0.05)


@pytest.mark.parametrize("wraps_at", [None, 1e6])
def test_a_reset_is_no_roll_over(analyse, metered, wraps_at):
    result, verdict = analyse(metered(start_wh=10.0, wraps_at=wraps_at, reset=True))
    assert verdict.outcome == "not-checked"
    assert "ran backwards" in verdict.text
    assert result.mean.value == pytest.approx(245.0, abs=0.1)


def test_a_counter_alone_rolls_over(make_trace, make_window):
    count = np.mod(999_990.0 + 245 * (T_S - T_S[0]) * WH_PER_WS, 1e6)
    trace = make_trace(T_S, count, kind="counter", unit="Wh", resolution=0.01, wraps_at=1e6)
    assert analyse_power([trace], make_window(DURATION_S), Limits()).mean.value == pytest.approx(245.0)


def test_two_laps():
    t_s = np.arange(7.0)
    assert unwrapped(t_s, np.array([3, 6, 9, 2, 5, 8, 1.0]), 10.0).tolist() == [3, 6, 9, 12, 15, 18, 21]


def test_steps_of_single_precision_show(make_trace, make_window):
    """At 20 MWh a float of 24 bits steps by 2 Wh, whatever the register declares."""
    exact = 2e7 + 245 * (T_S - T_S[0]) * WH_PER_WS
    trace = make_trace(T_S, exact.astype(np.float32), kind="counter", unit="Wh", resolution=0.01)
    assert last_digit(clean(trace, make_window(DURATION_S))) == 2.0


def test_a_register_read_on_one_side_only_is_refused(make_trace, make_window):
    trace = make_trace(T_S[T_S > 0], T_S[T_S > 0], kind="counter", unit="Wh")
    with pytest.raises(Refused, match="before and after"):
        register_power(clean(trace, make_window(DURATION_S)))


@pytest.mark.parametrize(("step_wh", "duration_s"), [(1.0, 600.0), (0.1, 120.0)])
def test_steps_of_a_register_under_a_steady_load_are_no_steps_of_power(make_trace, make_window, step_wh, duration_s):
    """250 W read once a second: each count is reached in the second before, so an edge errs by 250 J at most.

    The first and the last cell of the recording end at no count that was just reached, whatever they seem to hold.
    """
    covered = []
    for start_j in np.linspace(0, 3600 * step_wh, 29, endpoint=False):
        t = np.arange(-30.0, duration_s + 31.0)
        counted = np.floor((start_j + 250 * (t + 30)) / 3600 / step_wh) * step_wh
        meter = {"kind": "counter", "unit": "Wh", "resolution": step_wh, "specification": Specification(0.1)}
        power = analyse_power([make_trace(t, counted, **meter)], make_window(duration_s), Limits()).mean
        register = next(c for c in power.contributions if c.name.startswith("Register"))
        assert abs(power.value - 250) <= 250 / duration_s + 1e-9
        assert register.u_result <= math.hypot(250, 250) / math.sqrt(12) / duration_s * 1.02
        assert power.u <= 1.25 * math.hypot(250 * 0.001 / math.sqrt(3), register.u_result)
        covered.append(abs(power.value - 250) <= power.expanded_u)
    assert np.mean(covered) >= 0.93
