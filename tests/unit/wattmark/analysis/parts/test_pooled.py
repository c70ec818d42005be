"""Slopes pooled over servers, by hand; published studies are those of a vaccine."""

import math

import numpy as np
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
    return ServerSlope(math.log(ill / treated / (ill_control / control)), math.sqrt(variance))


def test_the_scatter_between_studies_is_that_of_hedges_by_hand():
    """The variance of the log risk ratios, 0.4814, less the mean of their own, which add up to 1.9864."""
    assert pooled([log_risk_ratio(*row) for row in BCG]).between ** 2 == pytest.approx(0.4814 - 1.9864 / 13, abs=1e-4)


def test_the_intervals_are_those_of_student_by_hand():
    """The log risk ratios, as metafor prints them, add up to -9.6284; their standard deviation is 0.6938.

    Mean -9.6284/13 = -0.7406, t of twelve degrees of freedom 2.1788: +- 2.1788 x 0.6938 / sqrt(13) = 0.4193 for the
    mean, and +- 2.1788 x 0.6938 x sqrt(14/13) = 1.5687 for another study.
    """
    pool = pooled([log_risk_ratio(*row) for row in BCG])
    assert pool.mean.value == pytest.approx(-9.6284 / 13, abs=5e-5)
    assert pool.mean.dof == pytest.approx(12)
    assert pytest.approx(0.4193, abs=1e-4) == pool.mean.U95
    assert pool.prediction == pytest.approx((-0.7406 - 1.5687, -0.7406 + 1.5687), abs=2e-4)


def test_equal_weights_are_the_mean_and_its_standard_error():
    """1, 2 and 6 W, each ± far smaller than they differ: mean 3 W, u = sd / sqrt(3) = 2.6458 / 1.7321 = 1.5275 W.

    The scatter between servers is their variance 7 less their own 0.01 W^2; t of two degrees of freedom is 4.3027.
    """
    pool = pooled([ServerSlope(watts, 0.1) for watts in (1.0, 2.0, 6.0)])
    assert pool.mean.value == pytest.approx(3.0)
    assert pool.between == pytest.approx(math.sqrt(7 - 0.01))
    assert pool.mean.high - pool.mean.value == pytest.approx(4.3027 * 1.5275, rel=1e-4)
    assert pool.prediction[1] - 3.0 == pytest.approx(4.3027 * math.sqrt(7 * (1 + 1 / 3)), rel=1e-4)


def test_slopes_that_agree_have_no_scatter_between_servers_and_no_smaller_u_than_their_own():
    pool = pooled([ServerSlope(5.0, 0.3), ServerSlope(5.0, 0.3), ServerSlope(5.0, 0.3)])
    assert pool.between == 0
    assert pytest.approx(0.3 / math.sqrt(3)) == pool.mean.U95


def test_a_slope_that_is_precise_by_chance_does_not_rule_the_mean():
    """3, 5, 6 and 10 W, the last known to 0.001 W: mean 6 W, variance 26/3 W^2.

    u = sqrt(26/3) / 2 = 1.4720 W, t of three degrees of freedom 3.1824: the mean is 6 +- 4.6845 W, another server
    6 +- 3.1824 x sqrt(26/3 x 5/4) = 6 +- 10.4746 W. Between servers: 26/3 - (3 x 0.1^2 + 0.001^2)/4 = 8.65917 W^2.
    """
    pool = pooled([*(ServerSlope(watts, 0.1) for watts in (3.0, 5.0, 6.0)), ServerSlope(10.0, 0.001)])
    assert pool.mean.value == pytest.approx(6.0)
    assert pytest.approx(4.6845, rel=1e-4) == pool.mean.U95
    assert pool.prediction == pytest.approx((6 - 10.4746, 6 + 10.4746), abs=1e-3)
    assert pool.between**2 == pytest.approx(8.65917, abs=1e-5)


@pytest.mark.parametrize("servers", [3, 4, 6, 10])
@pytest.mark.parametrize("dof", [1, 7, 30])
@pytest.mark.parametrize("ratio", [1.0, 100.0])
@pytest.mark.parametrize("between", [0.0, 1.0])
def test_the_intervals_hold_the_truth_of_simulated_servers(servers, dof, ratio, between):
    """1000 fleets with a mean of 5 W, of servers that scatter by so much; below 0.93 of nominal 0.95 is wrong.

    The standard error of 0.95 is 0.007. The least well known slope has 1 W, the best known this many times less; the
    scatter of each is an estimate (chi squared).
    """
    rng = np.random.default_rng(round(1000 * servers + 10 * dof + ratio + between))
    sd = np.geomspace(1 / ratio, 1, servers)
    in_mean = in_prediction = 0
    for _ in range(1000):
        slopes = 5 + between * rng.standard_normal(servers) + sd * rng.standard_normal(servers)
        seen = sd * np.sqrt(rng.chisquare(dof, servers) / dof)
        pool = pooled([ServerSlope(*of) for of in zip(slopes.tolist(), seen.tolist(), strict=True)])
        in_mean += pool.mean.low <= 5 <= pool.mean.high
        low, high = pool.prediction
        in_prediction += low <= 5 + between * rng.standard_normal() <= high
    assert in_mean >= 930
    assert in_prediction >= 930


def test_an_error_that_all_servers_share_does_not_average_out():
    """A gain error of one meter acts on all slopes alike: 0.2 W stay in the mean, whose own u is 0.1/sqrt(4)."""
    alike = [ServerSlope(5.0, 0.1, {"gain of A": 0.2}) for _ in range(4)]
    apart = [ServerSlope(5.0, 0.1, {f"gain of {k}": 0.2}) for k in range(4)]
    # slopes that agree by chance leave one standard uncertainty of their own; the normal factor is 1.9600
    half = pooled(alike).mean.U95
    assert half == pytest.approx(math.hypot(0.05, 1.9600 * 0.2), rel=1e-4)
    assert pytest.approx(math.hypot(0.1, 0.2) / 2) == pooled(apart).mean.U95


def test_two_servers_have_a_mean_and_predict_nothing():
    pool = pooled([ServerSlope(3.0, 0.1), ServerSlope(4.0, 0.1)])
    assert pool.mean.value == pytest.approx(3.5)
    assert pool.prediction is None


@pytest.mark.parametrize("slopes", [[], [ServerSlope(3.0, 0.1)]])
def test_fewer_than_two_servers_are_no_mean(slopes):
    with pytest.raises(Refused, match="needs the slopes of 2 servers"):
        pooled(slopes)
