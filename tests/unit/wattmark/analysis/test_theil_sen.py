from __future__ import annotations

import math

import numpy as np
import pytest
import scipy
from wattmark.analysis.efficiency.steady_state import theil_sen_slope


def test_the_slope_is_that_of_an_independent_implementation() -> None:
    rng = np.random.default_rng(5)
    for n in (2, 3, 10, 101):
        x, y = rng.integers(0, 12, n).astype(float), rng.normal(size=n)
        if len(set(x)) > 1:
            assert theil_sen_slope(x, y) == pytest.approx(scipy.stats.theilslopes(y, x).slope, rel=1e-12)


def test_one_outlier_does_not_move_it() -> None:
    x = np.arange(11.0)
    y = 3 * x
    y[10] = 1e6
    assert theil_sen_slope(x, y) == pytest.approx(3)


def test_equal_x_have_no_slope() -> None:
    assert math.isnan(theil_sen_slope(np.ones(4), np.arange(4.0)))
