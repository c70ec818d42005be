"""Figures with scatter: what is refused, and ratios."""

import math

import pytest
from wattmark.analysis.comparison.measured import (
    Measured,
    measured,
    ratio_estimate,
    require_levels,
    require_positive,
)
from wattmark.analysis.refusal import Refused


@pytest.mark.parametrize(
    ("figure", "reason"),
    [
        ({"value": math.nan}, "not-finite"),
        ({"value": math.inf}, "not-finite"),
        ({"value": 1.0, "u": math.nan}, "not-finite"),
        ({"value": 1.0, "u": -0.1}, "negative-uncertainty"),
        ({"value": 1.0, "u": 0.1, "dof": 0.0}, "no-freedom"),
        ({"value": 1.0, "u": 0.1, "dof": 0.5}, "no-freedom"),
        ({"value": 1.0, "u": 0.1, "dof": math.nan}, "no-freedom"),
    ],
)
def test_what_is_no_measurement(figure, reason):
    with pytest.raises(Refused) as refusal:
        Measured(**figure)
    assert refusal.value.reason == reason


@pytest.mark.parametrize(
    ("levels", "reason"),
    [
        ([1.0], "one-point"),
        ([2.0, 2.0], "equal-levels"),
        ([1.0, 2.0, 2.0], "few-levels"),
        ([0.0, 1.0], "zero"),
        ([-1.0, 1.0], "negative"),
        ([1.0, math.nan], "not-finite"),
        ([[1.0, 2.0]], "not-a-column"),
    ],
)
def test_levels_that_show_no_curve(levels, reason):
    with pytest.raises(Refused) as refusal:
        require_levels(levels, len(levels), 3)
    assert refusal.value.reason == reason


def test_a_reason_names_what_is_wrong():
    with pytest.raises(Refused, match="Throughput: -3 is negative"):
        require_positive([1.0, -3.0], "Throughput")


def test_columns_of_figures():
    assert measured([1.0, 2.0], 0.1) == (Measured(1.0, 0.1), Measured(2.0, 0.1))
    with pytest.raises(Refused) as refusal:
        measured([1.0, 2.0], [0.1])
    assert refusal.value.reason == "unequal-lengths"


def test_ratio_in_quadrature_of_relative_scatter():
    estimate = ratio_estimate(Measured(200.0, 6.0), Measured(100.0, 4.0))
    assert estimate.value == pytest.approx(2.0)
    assert estimate.u == pytest.approx(0.05)
    assert ratio_estimate(Measured(1.0), Measured(1.0, 0.1)) is None


def test_a_figure_no_larger_than_its_uncertainty_is_not_compared():
    with pytest.raises(Refused) as refusal:
        ratio_estimate(Measured(1.0, 1.0), Measured(1.0, 0.1))
    assert refusal.value.reason == "too-uncertain"


def test_welch_degrees_of_freedom_of_a_ratio():
    """Equal scatter with 2 degrees of freedom each: Welch-Satterthwaite gives 4."""
    assert ratio_estimate(Measured(10.0, 0.1, 2), Measured(10.0, 0.1, 2)).dof == pytest.approx(4.0)
