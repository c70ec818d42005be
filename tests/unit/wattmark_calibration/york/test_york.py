"""York's line: Pearson's data with York's weights (York et al. 2004, table II); ordinary limits; coverage."""

import numpy as np
import odrpack
import pytest
from wattmark_calibration.correction.least_squares import least_squares
from wattmark_calibration.correction.york import york_line

X = np.array([0.0, 0.9, 1.8, 2.6, 3.3, 4.4, 5.2, 6.1, 6.5, 7.4])
Y = np.array([5.9, 5.4, 4.4, 4.6, 3.5, 3.7, 2.8, 2.8, 2.4, 1.5])
WX = np.array([1000.0, 1000, 500, 800, 200, 80, 60, 20, 1.8, 1])
WY = np.array([1, 1.8, 4, 8, 20, 20, 70, 70, 100, 500.0])


def test_pearson_york():
    line = york_line(X, Y, WX**-0.5, WY**-0.5)
    assert line.intercept == pytest.approx(5.47991022403286, rel=1e-11)
    assert line.slope == pytest.approx(-0.4805334074462, rel=1e-11)
    assert line.u_intercept == pytest.approx(0.2949707354931, rel=1e-9)
    assert line.u_slope == pytest.approx(0.0579850090008, rel=1e-9)
    assert line.chi_squared == pytest.approx(11.8663531940615, rel=1e-11)
    assert line.correlation == pytest.approx(-0.963088, abs=1e-6)
    assert line.scale == pytest.approx(1.217905640539398, rel=1e-11)
    assert line.scale * line.u_intercept == pytest.approx(0.359246522551112, rel=1e-9)
    assert line.scale * line.u_slope == pytest.approx(0.070620269528771, rel=1e-9)


def test_exact_x_gives_weighted_least_squares():
    u = np.linspace(0.1, 0.5, 10)
    line = york_line(X, Y, 1e-9, u)
    fit = least_squares(np.column_stack([np.ones(10), X]), Y, np.diag(u**2))
    assert [line.intercept, line.slope] == pytest.approx(fit.parameters, rel=1e-7)
    assert line.covariance == pytest.approx(fit.covariance[0, 1], rel=1e-6)
    assert line.chi_squared == pytest.approx(fit.chi_squared, rel=1e-7)


def test_exchanging_the_axes_gives_the_inverse_line():
    line, turned = york_line(X, Y, 0.1, 0.2), york_line(Y, X, 0.2, 0.1)
    assert turned.slope == pytest.approx(1 / line.slope, rel=1e-10)
    assert turned.intercept == pytest.approx(-line.intercept / line.slope, rel=1e-10)


def test_errors_that_move_along_the_line_do_not_scatter_about_it():
    """With r near 1 and slope 1 the errors of x and y cancel: chi-squared grows against r = 0."""
    x = np.arange(6.0)
    y = x + np.array([0.1, -0.1, 0.1, -0.1, 0.1, -0.1])
    assert york_line(x, y, 0.1, 0.1, 0.9).chi_squared > 5 * york_line(x, y, 0.1, 0.1).chi_squared


def test_coverage_of_a_bmc_against_a_wall_meter():
    """95 % intervals of the prediction hold the truth in 93 to 97 % of simulated comparisons."""
    rng, truth = np.random.default_rng(2026), np.linspace(80, 400, 12)
    inside, trials = 0, 1500
    for _ in range(trials):
        bmc = (truth - 4) / 1.03 + rng.normal(0, 3, 12)
        wall = truth + rng.normal(0, 1, 12)
        line = york_line(bmc, wall, 3.0, 1.0)
        bmc_w = (250 - 4) / 1.03
        u = float(np.sqrt(line.u_intercept**2 + (bmc_w * line.u_slope) ** 2 + 2 * bmc_w * line.covariance))
        assert line.predict(bmc_w)[1] == pytest.approx(line.scale * u)
        inside += abs(line.intercept + line.slope * bmc_w - 250) <= 1.96 * u
    assert 0.93 <= inside / trials <= 0.97


def test_a_new_reading_adds_its_own_uncertainty():
    line = york_line(X, Y, 0.1, 0.1)
    value, u = line.predict(3.0)
    same, more = line.predict(3.0, u_x=0.5)
    assert value == same
    assert more**2 - u**2 == pytest.approx((line.slope * 0.5) ** 2)


@pytest.mark.parametrize(
    ("x", "y", "u_x", "u_y", "r", "words"),
    [
        ([1, 2], [1, 2], 1, 1, 0, "at least 3"),
        ([1, 2, 3], [1, 2], 1, 1, 0, "at least 3"),
        ([1, 2, 3], [1, 2, 3], 0, 1, 0, "above 0"),
        ([1, 2, 3], [1, 2, 3], 1, -1, 0, "above 0"),
        ([1, 2, 3], [1, 2, 3], 1, 1, 1, "between -1 and 1"),
        ([1, 2, np.nan], [1, 2, 3], 1, 1, 0, "finite"),
        ([2, 2, 2], [1, 2, 3], 1, 1, 0, "equal"),
    ],
)
def test_bad_input(x, y, u_x, u_y, r, words):
    with pytest.raises(ValueError, match=words):
        york_line(x, y, u_x, u_y, r)


def straight(x, beta):
    return beta[0] + beta[1] * x


def test_pearson_york_against_odrpack():
    """odrpack, orthogonal distance regression by another method, stops at 4e-6 (published_vectors.json)."""
    reference = odrpack.odr_fit(straight, X, Y, np.array([5.0, -0.5]), weight_x=WX, weight_y=WY)
    line = york_line(X, Y, WX**-0.5, WY**-0.5)
    assert [line.intercept, line.slope] == pytest.approx(list(reference.beta), rel=2e-5)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_any_line_against_odrpack(seed):
    rng = np.random.default_rng(seed)
    truth = np.linspace(80, 400, 15)
    u_x, u_y = rng.uniform(0.5, 4, 15), rng.uniform(0.5, 4, 15)
    x, y = truth + rng.normal(0, u_x), 3 + 1.05 * truth + rng.normal(0, u_y)
    # With forward differences, odrpack's default, it stops up to 1.4e-5 away, depending on the processor.
    exact = {"sstol": 1e-14, "partol": 1e-12, "diff_scheme": "central"}
    fit = odrpack.odr_fit(straight, x, y, np.array([0.0, 1.0]), weight_x=u_x**-2.0, weight_y=u_y**-2.0, **exact)
    line = york_line(x, y, u_x, u_y)
    assert line.slope == pytest.approx(fit.beta[1], rel=1e-8)
    assert line.intercept == pytest.approx(fit.beta[0], abs=1e-6 * line.u_intercept)
