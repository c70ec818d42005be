"""Slopes pooled over servers, against a published meta-analysis and by hand."""

import math

import pytest
from wattmark.analysis.parts.pooled import ServerSlope, pooled
from wattmark.analysis.refusal import Refused

BCG = (
    (4, 119, 11, 128),
    (6, 300, 29, 274),
    (3, 228, 11, 209),
    (62, 13536, 248, 12619),
    (33, 5036, 47, 5761),
    (180, 1361, 372, 1079),
    (8, 2537, 10, 619),
    (505, 87886, 499, 87892),
    (29, 7470, 45, 7232),
    (17, 1699, 65, 1600),
    (186, 50448, 141, 27197),
    (5, 2493, 3, 2338),
    (27, 16886, 29, 17825),
)
"""Trials of the BCG vaccine (Colditz et al., JAMA 271 (1994) 698): ill and healthy, vaccinated and not."""


def log_risk_ratio(ill, healthy, ill_control, healthy_control):
    """Compute ln of the risk ratio with its standard uncertainty (large samples)."""
    treated, control = ill + healthy, ill_control + healthy_control
    variance = 1 / ill - 1 / treated + 1 / ill_control - 1 / control
    return ServerSlope(math.log(ill / treated / (ill_control / control)), math.sqrt(variance), math.inf)


def test_the_mean_and_the_scatter_are_those_of_a_published_analysis():
    """W. Viechtbauer, metafor: rma(yi, vi, data=dat.bcg, method="DL") has -0.7141, and tau^2 0.3088.

    The random-effects interval of `metan` in Stata is -1.0644 to -0.3638, so that the plain u is 0.1787; the factor of
    Hartung and Knapp widens it by less than 3 % here.
    """
    pool = pooled([log_risk_ratio(*row) for row in BCG])
    assert pool.mean.value == pytest.approx(-0.7141, abs=5e-5)
    assert pool.between**2 == pytest.approx(0.3088, abs=5e-5)
    assert 0.1787 <= pool.mean.u < 1.03 * 0.1787
    assert pool.mean.dof == pytest.approx(12)


def test_the_prediction_interval_is_that_of_higgins_by_hand():
    """sqrt(0.3088 + u^2) times t of 11 degrees of freedom, 2.2010."""
    pool = pooled([log_risk_ratio(*row) for row in BCG])
    half = 2.2010 * math.sqrt(0.3088 + pool.mean.u**2)
    assert pool.prediction == pytest.approx((-0.7141 - half, -0.7141 + half), abs=2e-4)


def test_equal_weights_are_the_mean_and_its_standard_error():
    """1, 2 and 6 W, each ± far smaller than they differ: mean 3 W, u = sd / sqrt(3) = 2.6458 / 1.7321 = 1.5275 W.

    The scatter between servers is their variance 7 less their own 0.01 W^2; t of two degrees of freedom is 4.3027, of
    one 12.7062.
    """
    pool = pooled([ServerSlope(watts, 0.1, math.inf) for watts in (1.0, 2.0, 6.0)])
    assert pool.mean.value == pytest.approx(3.0)
    assert pool.between == pytest.approx(math.sqrt(7 - 0.01))
    assert pool.mean.high - pool.mean.value == pytest.approx(4.3027 * 1.5275, rel=1e-4)
    assert pool.prediction[1] - 3.0 == pytest.approx(12.7062 * math.sqrt(6.99 + 7 / 3), rel=1e-4)


def test_slopes_that_agree_have_no_scatter_between_servers_and_no_smaller_u_than_their_own():
    pool = pooled([ServerSlope(5.0, 0.3, math.inf), ServerSlope(5.0, 0.3, math.inf), ServerSlope(5.0, 0.3, math.inf)])
    assert pool.between == 0
    assert pool.mean.u == pytest.approx(0.3 / math.sqrt(3))


def test_few_runs_weigh_as_little_as_their_interval_is_wide():
    """With t = 12.706 of one degree of freedom against 1.960: (12.706 / 1.960)^2 = 42.03 times less weight."""
    pool = pooled([ServerSlope(0.0, 1.0, math.inf), ServerSlope(0.1, 1.0, 1.0)])
    assert pool.mean.value == pytest.approx(0.1 / (1 + 42.03), rel=1e-3)


def test_an_error_that_all_servers_share_does_not_average_out():
    """A gain error of one meter acts on all slopes alike: 0.2 W stay in the mean, whose scatter is 0.1/sqrt(4)."""
    alike = [ServerSlope(5.0, 0.1, math.inf, {"gain of A": 0.2}) for _ in range(4)]
    apart = [ServerSlope(5.0, 0.1, math.inf, {f"gain of {k}": 0.2}) for k in range(4)]
    # the half widths add: t of three degrees of freedom is 3.1824, the normal 1.9600
    half = pooled(alike).mean.U95
    assert half == pytest.approx(math.hypot(3.1824 * 0.05, 1.9600 * 0.2), rel=1e-4)
    assert pooled(apart).mean.u == pytest.approx(math.hypot(0.1, 0.2) / 2)


def test_two_servers_have_a_mean_and_predict_nothing():
    pool = pooled([ServerSlope(3.0, 0.1, math.inf), ServerSlope(4.0, 0.1, math.inf)])
    assert pool.mean.value == pytest.approx(3.5)
    assert pool.prediction is None


@pytest.mark.parametrize("slopes", [[], [ServerSlope(3.0, 0.1, math.inf)]])
def test_fewer_than_two_servers_are_no_mean(slopes):
    with pytest.raises(Refused, match="needs the slopes of 2 servers"):
        pooled(slopes)


def test_a_slope_without_scatter_has_no_weight():
    with pytest.raises(Refused, match="no scatter"):
        pooled([ServerSlope(3.0, 0.0, math.inf), ServerSlope(4.0, 0.1, math.inf)])
