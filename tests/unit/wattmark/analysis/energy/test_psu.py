"""Marginal efficiency of a power supply, against sums done by hand."""

import pytest
from wattmark.analysis.energy.psu import marginal_efficiency
from wattmark.analysis.refusal import Refused


def test_a_flat_curve_is_its_efficiency():
    """method 5.3: 5 W at DC and 0.78 are 6.4 W at the wall."""
    share = marginal_efficiency({20: 78, 50: 78, 100: 78}, 600, 300)
    assert share == pytest.approx(0.78, rel=1e-6)
    assert 6.41 * share == pytest.approx(5.0, abs=0.01)


def test_a_rising_curve_brings_more_than_its_efficiency():
    """80 % at 20 %, 90 % at 50 % of 600 W. At 35 % it is 85 %: 210 W of 247.06 W. dP_wall = 1/eta - P eta'/eta^2
    with eta' = 0.1/180 per watt: 1.17647 - 0.16148 = 1.01499; its inverse is 0.98523."""
    assert marginal_efficiency({20: 80, 50: 90}, 600, 210 / 0.85) == pytest.approx(0.98523, rel=1e-3)


@pytest.mark.parametrize(
    ("curve", "wall_w"), [({20: 80, 50: 90}, 100.0), ({20: 80, 50: 90}, 400.0), ({50: 90}, 300.0), ({}, 300.0)]
)
def test_nothing_is_extrapolated(curve, wall_w):
    with pytest.raises(Refused, match="curve"):
        marginal_efficiency(curve, 600, wall_w)
