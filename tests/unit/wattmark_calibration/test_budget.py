"""Budget vectors: JCGM 100:2008 examples H.1 and H.2; GTC as independent oracle."""

import math

import GTC
import numpy as np
import pytest
import uncertainties
from hypothesis import given
from hypothesis import strategies as st
from uncertainties import umath
from wattmark_calibration import (
    Contribution,
    UncertainValue,
    coverage_factor,
    ratio_uncertainty,
    welch_satterthwaite,
)

V = np.array([5.007, 4.994, 5.005, 4.990, 4.999])
I_A = np.array([19.663, 19.639, 19.640, 19.685, 19.678]) * 1e-3


def test_gum_h1():
    """End gauge: u = 25, 9.7, 2.9, 16.6 nm give nu_eff 16.7, t99(16) = 2.92, U99 = 93 nm (H.1.6)."""
    u = [25, 9.7, 2.9, 16.6]
    dof = welch_satterthwaite(u, [18, 25.6, 50, 2])
    assert dof == pytest.approx(16.7646, abs=5e-5)
    assert coverage_factor(16, 0.99) == pytest.approx(2.92, abs=5e-3)
    assert coverage_factor(dof, 0.99) * 32 == pytest.approx(93, abs=0.6)


def test_gum_h1_as_budget():
    value = UncertainValue(
        50_000_838.0,
        "nm",
        (
            Contribution("standard", 25, "B", 18),
            Contribution("difference", 9.7, "A", 25.6),
            Contribution("thermal expansion", 2.9, "B", 50),
            Contribution("temperature difference", 16.6, "B", 2),
        ),
    )
    assert value.u == pytest.approx(32, abs=0.5)
    assert value.dof == pytest.approx(16.7646, abs=5e-5)
    assert value.expanded_u == pytest.approx(2.112 * value.u, rel=1e-3)


def test_gum_h2():
    """Z = V/I, r = -0.36: u(Z) = 0.236 ohm with covariance, 0.204 without."""
    n = len(V)
    u_v, u_i = V.std(ddof=1) / math.sqrt(n), I_A.std(ddof=1) / math.sqrt(n)
    r = np.corrcoef(V, I_A)[0, 1]
    assert r == pytest.approx(-0.36, abs=5e-3)
    assert V.mean() / I_A.mean() == pytest.approx(254.26, abs=5e-3)
    assert ratio_uncertainty(V.mean(), u_v, I_A.mean(), u_i, r) == pytest.approx(0.23634, abs=5e-6)
    assert ratio_uncertainty(V.mean(), u_v, I_A.mean(), u_i) == pytest.approx(0.20408, abs=5e-6)


def test_ratio_against_gtc():
    x = GTC.ureal(25.47, 0.21, independent=False)
    y = GTC.ureal(245.3, 1.9, independent=False)
    GTC.set_correlation(0.6, x, y)
    assert ratio_uncertainty(25.47, 0.21, 245.3, 1.9, 0.6) == pytest.approx(GTC.uncertainty(x / y), rel=1e-12)


def test_budget_against_gtc():
    terms = [GTC.ureal(0, 0.57), GTC.ureal(0, 0.31, df=7), GTC.ureal(0, 0.02, df=3)]
    total = 2 * terms[0] + terms[1] + terms[2]
    value = UncertainValue(
        245.0,
        "W",
        (
            Contribution("instrument", 0.57, "B", sensitivity=2.0),
            Contribution("scatter", 0.31, "A", 7),
            Contribution("resolution", 0.02, "B", 3),
        ),
    )
    assert value.u == pytest.approx(GTC.uncertainty(total), rel=1e-12)
    assert value.dof == pytest.approx(GTC.dof(total), rel=1e-9)


def test_no_finite_term_gives_infinite_dof():
    assert math.isinf(welch_satterthwaite([1.0, 2.0], [math.inf, math.inf]))
    assert coverage_factor(math.inf) == pytest.approx(1.959964, abs=1e-6)


@pytest.mark.parametrize(("y", "r"), [(0.0, 0.0), (1.0, 1.5)])
def test_impossible_ratio(y, r):
    with pytest.raises(ValueError, match="ratio needs"):
        ratio_uncertainty(1.0, 0.1, y, 0.1, r)


PHI_RAD = np.array([1.0456, 1.0438, 1.0468, 1.0428, 1.0433])


def test_gum_h2_against_uncertainties():
    """JCGM 100 H.2: R 127.732 (0.071), X 219.847 (0.295), Z 254.260 (0.236) ohm by an independent propagation."""
    data = np.array([V, I_A, PHI_RAD])
    covariance = np.cov(data) / data.shape[1]
    v, i, phi = uncertainties.correlated_values(data.mean(axis=1), covariance)
    impedance = v / i
    assert (impedance * umath.cos(phi)).n == pytest.approx(127.732, abs=5e-4)
    assert (impedance * umath.cos(phi)).s == pytest.approx(0.071, abs=5e-4)
    assert (impedance * umath.sin(phi)).n == pytest.approx(219.847, abs=5e-4)
    assert (impedance * umath.sin(phi)).s == pytest.approx(0.2956, abs=5e-5)
    u_v, u_i = np.sqrt(np.diag(covariance)[:2])
    r = covariance[0, 1] / (u_v * u_i)
    assert ratio_uncertainty(v.n, u_v, i.n, u_i, r) == pytest.approx(impedance.s, rel=1e-9)


@given(
    st.floats(1, 1e4),
    st.floats(1e-3, 10),
    st.floats(1, 1e4),
    st.floats(1e-3, 10),
    st.floats(-0.99, 0.99),
)
def test_any_ratio_against_uncertainties(x, u_x, y, u_y, r):
    covariance = [[u_x**2, r * u_x * u_y], [r * u_x * u_y, u_y**2]]
    top, bottom = uncertainties.correlated_values([x, y], covariance)
    assert ratio_uncertainty(x, u_x, y, u_y, r) == pytest.approx((top / bottom).s, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-120, 1.0, 1e120, 1e150])
def test_degrees_of_freedom_do_not_depend_on_the_unit(scale: float):
    assert welch_satterthwaite([3.0 * scale, 4.0 * scale], [5, 9]) == pytest.approx(625 / (81 / 5 + 256 / 9), rel=1e-12)


def test_degrees_of_freedom_of_nothing_are_infinite():
    assert welch_satterthwaite([], []) == math.inf
    assert welch_satterthwaite([0.0, 0.0], [3, 4]) == math.inf
