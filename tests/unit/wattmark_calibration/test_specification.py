"""Specification vectors: Yokogawa IM WT310E-02EN p. 7-7 and 7-8 (figures worked in published_vectors.json)."""

import math

import numpy as np
import pytest
from wattmark_calibration import Specification, counter_uncertainty, resolution_uncertainty

WT310E = Specification(reading_pct=0.1, range_pct=0.05, pf0_pct=0.1, source="IM WT310E-02EN p. 7-7")


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
