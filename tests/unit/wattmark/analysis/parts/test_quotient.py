"""A quotient of two figures with their intervals: its ends hold the truth whatever the correlation of the two."""

import numpy as np
import pytest
from wattmark.analysis.parts.quotient import quotient
from wattmark.analysis.refusal import Refused
from wattmark.core.interval import Interval95


def around(value, half, **more):
    return Interval95(value=value, low=value - half, high=value + half, u=half / 1.96, **more)


def test_ends_are_those_of_both_divided():
    ratio = quotient(around(100.0, 10.0), around(5.0, 1.0))
    assert (ratio.value, ratio.low, ratio.high) == (20.0, 15.0, 27.5)


def test_what_may_be_negative_keeps_its_sign():
    ratio = quotient(around(1.0, 2.0), around(5.0, 1.0))
    assert (ratio.low, ratio.high) == (-0.25, 0.75)


def test_without_a_bound_there_are_no_ends():
    assert quotient(around(6.0, 1.0, complete=False), around(3.0, 1.0)).ends == (None, None)


@pytest.mark.parametrize("value", [0.5, -3.0, 0.0])
def test_a_divisor_that_may_be_zero_is_refused(value):
    with pytest.raises(Refused, match="reaches 0"):
        quotient(around(6.0, 1.0), around(value, 1.0))


@pytest.mark.parametrize("correlation", [-0.99, -0.5, 0.0, 0.5, 0.99])
def test_coverage(correlation):
    """10 000 draws about 500 +- 10 over 5 +- 0.2 at k = 1.96: at least 0.945 hold 100, whatever the correlation."""
    rng = np.random.default_rng(4)
    above_u, below_u = 10.0, 0.2
    covariance = correlation * above_u * below_u
    draws = rng.multivariate_normal([500, 5], [[above_u**2, covariance], [covariance, below_u**2]], 10_000)
    above, below = draws[:, 0], draws[:, 1]
    low = (above - 1.96 * above_u) / (below + 1.96 * below_u)
    high = (above + 1.96 * above_u) / (below - 1.96 * below_u)
    first = quotient(around(above[0], 1.96 * above_u), around(below[0], 1.96 * below_u))
    assert (first.low, first.high) == pytest.approx((low[0], high[0]))
    assert np.mean((low <= 100) & (high >= 100)) >= 0.945
