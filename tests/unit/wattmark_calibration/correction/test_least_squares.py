"""Linear calibration: JCGM 100:2008 H.3 and NIST StRD Norris; GTC and statsmodels as oracles."""

import math

import GTC
import numpy as np
import pytest
from wattmark_calibration.correction.least_squares import least_squares

# JCGM 100:2008 table H.6: thermometer reading and observed correction [°C]
H3_T = np.array([21.521, 22.012, 22.512, 23.003, 23.507, 23.999, 24.513, 25.002, 25.503, 26.010, 26.511])
H3_B = np.array([-0.171, -0.169, -0.166, -0.159, -0.164, -0.165, -0.156, -0.157, -0.159, -0.161, -0.160])
# NIST StRD Norris, calibration of ozone monitors
NORRIS_Y = (
    "0.1 338.8 118.1 888.0 9.2 228.1 668.5 998.5 449.1 778.9 559.2 0.3 0.1 778.1 668.8 339.3 448.9 10.8 557.7 228.3 "
    "998.0 888.8 119.6 0.3 0.6 557.6 339.3 888.0 998.5 778.9 10.2 117.6 228.9 668.4 449.2 0.2"
)
NORRIS_X = (
    "0.2 337.4 118.2 884.6 10.1 226.5 666.3 996.3 448.6 777.0 558.2 0.4 0.6 775.5 666.9 338.0 447.5 11.6 556.0 228.1 "
    "995.8 887.6 120.2 0.3 0.3 556.8 339.1 887.2 999.0 779.0 11.1 118.3 229.2 669.1 448.9 0.5"
)


def column(text):
    return np.array([float(word) for word in text.split()])


def line(x):
    return np.column_stack([np.ones_like(x), x])


def test_gum_h3():
    fit = least_squares(line(H3_T - 20), H3_B)
    cov = fit.scaled_covariance
    u = np.sqrt(np.diag(cov))
    assert fit.parameters == pytest.approx([-0.1712, 0.00218], abs=6e-5)
    assert u == pytest.approx([0.0029, 0.00067], abs=6e-5)
    assert cov[0, 1] / (u[0] * u[1]) == pytest.approx(-0.930, abs=5e-4)
    assert fit.scatter == pytest.approx(0.0035, abs=5e-5)
    x = np.array([1.0, 30 - 20])
    assert x @ fit.parameters == pytest.approx(-0.1494, abs=5e-5)
    assert math.sqrt(x @ cov @ x) == pytest.approx(0.0041, abs=5e-5)


def test_gum_h3_as_gtc_has_it():
    reference = GTC.type_a.line_fit(list(H3_T - 20), list(H3_B))
    fit = least_squares(line(H3_T - 20), H3_B)
    assert fit.parameters == pytest.approx([reference.a_b[0].x, reference.a_b[1].x], rel=1e-10)
    assert np.sqrt(np.diag(fit.scaled_covariance)) == pytest.approx([reference.a_b[0].u, reference.a_b[1].u], rel=1e-9)


def test_nist_norris():
    """Certified values with 15 digits; StRD calls agreement to 9 digits good for double precision."""
    fit = least_squares(line(column(NORRIS_X)), column(NORRIS_Y))
    assert fit.parameters == pytest.approx([-0.262323073774029, 1.00211681802045], rel=1e-11)
    deviations = np.sqrt(np.diag(fit.scaled_covariance))
    assert deviations == pytest.approx([0.232818234301152, 0.000429796848199937], rel=1e-11)
    assert fit.scatter == pytest.approx(0.884796396144373, rel=1e-12)
    assert fit.dof == 34


def test_gls_against_statsmodels():
    import statsmodels.api as sm

    rng = np.random.default_rng(7)
    a = np.column_stack([np.ones(9), rng.uniform(1, 1000, 9), rng.normal(0, 300, 9)])
    root = rng.normal(size=(9, 9))
    v = root @ root.T + 9 * np.eye(9)
    y = a @ [0.3, -0.002, 0.001] + rng.normal(size=9)
    fit, oracle = least_squares(a, y, v), sm.GLS(y, a, sigma=v).fit()
    assert fit.parameters == pytest.approx(oracle.params, rel=1e-8)
    assert fit.scaled_covariance == pytest.approx(oracle.cov_params(), rel=1e-8)
    assert fit.chi_squared == pytest.approx(oracle.ssr, rel=1e-8)
    assert fit.gain @ y == pytest.approx(fit.parameters, rel=1e-9)


def test_chi_squared_probability():
    """Upper 5 % point of chi-squared on 2 degrees of freedom is 5.991 (NIST handbook 1.3.6.7.4)."""
    fit = least_squares(np.ones((3, 1)), [0.0, 0.0, 0.0])
    assert fit.p_value == 1
    y = np.array([1.0, -1.0, 0.0]) * math.sqrt(5.991 / 2)
    assert least_squares(np.ones((3, 1)), y).p_value == pytest.approx(0.05, abs=1e-4)


def test_no_check_without_degrees_of_freedom():
    fit = least_squares(line(np.array([1.0, 2.0])), [1.0, 2.0])
    assert fit.p_value is None
    assert fit.scatter is None
    with pytest.raises(ValueError, match="more points than parameters"):
        _ = fit.scaled_covariance


@pytest.mark.parametrize(
    ("design", "y", "v", "words"),
    [
        (np.ones((1, 2)), [1.0], None, "too few for 2 parameters"),
        (line(np.array([5.0, 5.0, 5.0])), [1.0, 2.0, 3.0], None, "do not determine all parameters"),
        (np.ones((2, 1)), [1.0, 2.0], [[1.0, 2.0], [2.0, 1.0]], "positive definite"),
    ],
)
def test_points_that_determine_nothing(design, y, v, words):
    with pytest.raises(ValueError, match=words):
        least_squares(design, y, v)
