"""Specification vectors: Yokogawa IM WT310E-02EN p. 7-7 and 7-8 (figures worked in published_vectors.json)."""

import math
from dataclasses import replace

import numpy as np
import pytest
from wattmark_calibration import (
    REFERENCE,
    Conditions,
    Influences,
    InputLimit,
    LoadStep,
    Specification,
    counter_uncertainty,
    resolution_uncertainty,
)
from wattmark_calibration.specification import BLOCK

WT310E = Specification(
    reading_pct=0.1, range_pct=0.05, influences=Influences(pf0_pct=0.1), source="IM WT310E-02EN p. 7-7"
)


@pytest.mark.parametrize(
    ("power_w", "range_w", "power_factor", "limit_w", "u_w"),
    [
        (245, 300 * 1, None, 0.395, 0.2281),
        (245, 300 * 2, None, 0.545, 0.3147),
        (245, 300 * 5, None, 0.995, 0.5745),
        (245, 300 * 20, None, 3.245, 1.8735),
        (1101.2828, 300 * 10, None, 2.6013, 1.5019),
        (245, 300 * 2, 0.6, 0.7517, 0.4340),
        (245, 300 * 2, 0.2, 1.5052, 0.8691),
    ],
)
def test_wt310e(power_w, range_w, power_factor, limit_w, u_w):
    assert WT310E.limit(power_w, range_w, power_factor) == pytest.approx(limit_w, abs=6e-5)
    assert WT310E.standard_uncertainty(power_w, range_w, power_factor) == pytest.approx(u_w, abs=6e-5)


def test_vectorised_over_samples():
    u = WT310E.standard_uncertainty([245, 245, 245], [300, 600, 1500])
    assert u == pytest.approx([0.2281, 0.3147, 0.5745], abs=6e-5)


def test_unit_power_factor_is_the_plain_form():
    assert WT310E.limit(245, 600, 1.0) == pytest.approx(WT310E.limit(245, 600))


def test_fixed_term_is_added_linearly():
    wattsup = Specification(reading_pct=1.5, fixed=0.3, source="Watts Up? PRO manual: 1.5 % + 3 counts of 0.1 W")
    assert wattsup.limit(100.0) == pytest.approx(1.8)
    assert wattsup.standard_uncertainty(100.0) == pytest.approx(1.8 / math.sqrt(3))


def test_range_term_without_range_is_refused():
    with pytest.raises(ValueError, match="range in use"):
        WT310E.limit(245)


@pytest.mark.parametrize("figures", [(0.0, 0.0), (-0.1, 0.0), (math.nan, 0.0), (0.1, math.inf)])
def test_no_invented_specification(figures):
    with pytest.raises(ValueError, match="limits of error"):
        Specification(*figures)


@pytest.mark.parametrize("factor", [0.0, 1.01, np.nan])
def test_impossible_power_factor(factor):
    with pytest.raises(ValueError, match="power factor"):
        WT310E.limit(245, 600, factor)


def test_register_of_a_tenth_of_a_watt_hour():
    """method: 0.1 Wh register: 147 J; 0.10 % of 245 W x 600 s, 1.0 % of 60 s."""
    u = counter_uncertainty(0.1 * 3600)
    assert u == pytest.approx(147, abs=0.1)
    assert u / (245 * 600) == pytest.approx(0.0010, abs=5e-5)
    assert u / (245 * 60) == pytest.approx(0.010, abs=5e-5)


def test_resolution():
    assert resolution_uncertainty(0.1) == pytest.approx(0.1 / math.sqrt(12))


WHOLE = Specification(
    reading_pct=0.1,
    range_pct=0.05,
    influences=Influences(
        pf0_pct=0.1,
        crest_factor_6_range_factor=2.0,
        line_filter_pct=0.3,
        heating_pct_per_a2=0.00013,
        heating_pct_per_v2=1e-7,
        temperature_pct_per_k=0.03,
        temperature_low_c=18.0,
        temperature_high_c=28.0,
        frequency_low_hz=45.0,
        frequency_high_hz=66.0,
        valid_months=12.0,
    ),
)
"""WT310E with the influences of IM WT310E-02EN p. 7-7, 7-8; the temperature coefficient is made up for this test."""


def use(**changes):
    return replace(REFERENCE, **changes)


@pytest.mark.parametrize(
    ("conditions", "limit_w"),
    [
        # 600 W on 300 V x 5 A (drivers.md 3.2: E 1.35 W): 0.6 + 0.75 W; every line adds one influence to it.
        (use(), 1.35),
        (use(crest_factor=6), 0.6 + 2 * 0.75),
        (use(crest_factor=None), 0.6 + 2 * 0.75),
        (use(line_filter=True), 1.35 + 0.003 * 600),
        (use(line_filter=None), 1.35 + 0.003 * 600),
        (use(current_a=20.0), 1.35 + 0.00013 * 400 / 100 * 600),
        (use(voltage_v=230.0), 1.35 + 1e-7 * 230**2 / 100 * 600),
        (use(temperature_c=23.0), 1.35),
        (use(temperature_c=31.0), 1.35 + 0.0003 * 3 * 600),
        (use(temperature_c=16.0), 1.35 + 0.0003 * 2 * 600),
        (use(power_factor=0.8), 0.6 + 0.8 * 0.75 + 0.001 * 0.75 * 600),
        (use(months=12.0, frequency_hz=50.0), 1.35),
    ],
)
def test_every_influence_adds_its_own_limit(conditions, limit_w):
    assert WHOLE.limit(600.0, 1500.0, conditions=conditions) == pytest.approx(limit_w, rel=1e-12)
    assert sum(WHOLE.limit_parts(600.0, 1500.0, conditions).values()) == pytest.approx(limit_w, rel=1e-12)


def test_the_non_e_model():
    """drivers.md 3.2: WT310 0.1 % + 0.1 %, 600 W on 300 V x 5 A: 2.1 W (0.35 %)."""
    assert Specification(0.1, 0.1).limit(600.0, 1500.0) == pytest.approx(2.1)


@pytest.mark.parametrize(
    ("conditions", "reason"),
    [
        (use(frequency_hz=400.0), "45 to 66 Hz"),
        (use(months=12.5), "for 12 months"),
        (use(months=-1.0), "after it was used"),
    ],
)
def test_outside_the_makers_conditions_there_is_no_limit(conditions, reason):
    with pytest.raises(ValueError, match=reason):
        WHOLE.limit(600.0, 1500.0, conditions=conditions)


def test_without_a_coefficient_the_limits_end_with_the_temperature_band():
    band = Specification(0.1, influences=Influences(temperature_low_c=18.0, temperature_high_c=28.0))
    assert band.limit(600.0, conditions=use(temperature_c=28.0)) == pytest.approx(0.6)
    with pytest.raises(ValueError, match="18 to 28 °C"):
        band.limit(600.0, conditions=use(temperature_c=28.1))


def test_limits_grow_where_the_maker_says_how():
    growing = Specification(0.1, influences=Influences(valid_months=12.0, growth_pct_per_month=0.01))
    assert growing.limit(600.0, conditions=use(months=15.0)) == pytest.approx(0.6 + 3 * 0.0001 * 600)


def test_what_nobody_stated_is_named():
    assert WHOLE.assumed(use(power_factor=1.0, current_a=1.0, temperature_c=23.0, frequency_hz=50.0, months=1.0)) == ()
    assert len(WHOLE.assumed(Conditions())) == 7
    assert Specification(1.5).assumed(Conditions()) == ()


@pytest.mark.parametrize(
    "figures",
    [
        {"line_filter_pct": -0.1},
        {"valid_months": math.nan},
        {"pf0_pct": math.inf},
        {"heating_pct_per_a2": 1e200},
        {"temperature_low_c": -300.0, "temperature_high_c": 28.0},
        {"temperature_pct_per_k": 0.03},
    ],
)
def test_influences_that_no_maker_can_mean(figures):
    with pytest.raises(ValueError, match=r"influence|coefficient"):
        Influences(**figures)


def test_many_samples_give_what_each_gives_alone():
    """More samples than one block holds, so that block edges are crossed."""
    n = 2 * BLOCK + 7
    power, factor, current = np.linspace(1, 1000, n), np.linspace(0.2, 1, n), np.linspace(0, 20, n)
    ranges = np.where(np.arange(n) % 2, 600.0, 1500.0)
    u = WHOLE.standard_uncertainty(power, ranges, conditions=use(power_factor=factor, current_a=current))
    for k in (0, BLOCK - 1, BLOCK, 2 * BLOCK, n - 1):
        alone = use(power_factor=factor[k], current_a=current[k])
        assert u[k] == pytest.approx(WHOLE.standard_uncertainty(power[k], ranges[k], conditions=alone), rel=1e-12)


PM1000 = Specification(
    reading_pct=0.0,
    influences=Influences(
        voltage=InputLimit(reading_pct=0.1012, range_pct=0.1, fixed=0.004, range_value=215),
        current=InputLimit(reading_pct=0.1012, range_pct=0.1, fixed=0.001, range_value=6.25),
    ),
    source="Voltech PM1000+ user manual 2010 p. 79, at 60 Hz: 0.02 x 0.06 % of reading more",
)
PM1000_EXAMPLE = Conditions(power_factor=0.8, voltage_v=120, current_a=2.5)


def test_limits_of_the_inputs_are_those_of_the_manuals_example():
    """p. 79: 120 V, 2.5 A, 60 Hz: 340.44 mV (0.284 %) and 9.78 mA (0.39 %), hence of 240 W 0.68088 W and 0.93888 W."""
    parts = PM1000.limit_parts(240.0, conditions=PM1000_EXAMPLE)
    assert float(parts["voltage"]) == pytest.approx(240 * 0.34044 / 120, rel=1e-4)
    assert float(parts["current"]) == pytest.approx(240 * 0.00978 / 2.5, rel=1e-4)
    assert PM1000.limit(240.0, conditions=PM1000_EXAMPLE) == pytest.approx(1.6198, abs=5e-4)
    assert PM1000.standard_uncertainty(240.0, conditions=PM1000_EXAMPLE) == pytest.approx(1.6198 / 3**0.5, abs=5e-4)


def test_without_current_the_limit_of_the_current_alone_remains():
    """P/I is U then: 6.25 mA + 1 mA at 120 V are 0.87 W."""
    idle = Conditions(voltage_v=120, current_a=0)
    assert PM1000.limit(0.0, conditions=idle) == pytest.approx(120 * 0.00725)


@pytest.mark.parametrize("known", [{}, {"voltage_v": 120}, {"current_a": 2.5}])
def test_limits_of_the_inputs_need_both_inputs(known):
    with pytest.raises(ValueError, match="follow from voltage and current, which were not recorded"):
        PM1000.limit(240.0, conditions=Conditions(**known))


def test_limits_of_the_inputs_need_the_ranges_in_use():
    unknown = InputLimit(reading_pct=0.1, range_pct=0.1)
    limits = Specification(reading_pct=0.0, influences=Influences(voltage=unknown, current=unknown))
    with pytest.raises(ValueError, match="ranges in use are not known"):
        limits.limit(240.0, conditions=PM1000_EXAMPLE)


PW3336 = Specification(
    reading_pct=0.1,
    range_pct=0.05,
    influences=Influences(steps=(LoadStep(50, 0.15),)),
    source="Hioki PW3336/PW3337 catalogue p. 8",
)


def test_limits_by_load():
    """On 600 W, 45 Hz to 66 Hz: 0.1 % rdg + 0.05 % f.s. below 300 W, 0.15 % rdg from there, above 600 W too."""
    powers_w = [60, 299.9, 300, 599, 700]
    expected_w = [0.36, 0.5999, 0.45, 0.8985, 1.05]
    assert PW3336.limit(powers_w, 600) == pytest.approx(expected_w)
    assert PW3336.limit_parts(300, 600).keys() == {"reading"}
    with pytest.raises(ValueError, match="range in use"):
        PW3336.limit(300)


def test_several_steps_follow_each_other():
    """Below 10 Hz the same table has 0.1 % rdg + 0.2 % f.s. and 0.3 %; a third step, made up, tests the order."""
    steps = (LoadStep(50, 0.3), LoadStep(100, 0.4, 0.1))
    limits = Specification(reading_pct=0.1, range_pct=0.2, influences=Influences(steps=steps))
    assert limits.limit([60, 300, 600], 600) == pytest.approx([1.26, 0.9, 3.0])


def test_a_band_of_currents_ends_the_limits():
    """Carlo Gavazzi EM112 datasheet: ±1 % of reading from 0.25 A to 100 A."""
    em112 = Specification(reading_pct=1.0, influences=Influences(current_low_a=0.25, current_high_a=100))
    assert em112.limit(230.0, conditions=Conditions(current_a=1.0)) == pytest.approx(2.3)
    assert em112.limit(230.0) == pytest.approx(2.3)
    assert "current not recorded: assumed within the manufacturer's band" in em112.assumed(Conditions())
    with pytest.raises(ValueError, match=r"hold from 0\.25 to 100 A, not at 0\.1 A"):
        em112.limit(23.0, conditions=Conditions(current_a=0.1))


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({"voltage": InputLimit(reading_pct=0.1)}, "need both"),
        ({"steps": (LoadStep(100, 0.2), LoadStep(50, 0.15))}, "rising shares"),
    ],
)
def test_limits_that_no_maker_can_mean(figures, words):
    with pytest.raises(ValueError, match=words):
        Influences(**figures)


@pytest.mark.parametrize("figures", [{"reading_pct": -0.1}, {"fixed": math.inf}, {"range_pct": math.nan}])
def test_limits_of_inputs_that_no_maker_can_mean(figures):
    with pytest.raises(ValueError, match="write a number from 0"):
        InputLimit(**figures)
