"""Conformity with guard band: ILAC-G8:09/2019 4.2.3, and the PTB good-practice example."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_calibration.certificate.conformity import Outcome, judge, judge_points, judge_range


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (0.0, Outcome.PASS),
        (0.75, Outcome.PASS),
        (-0.75, Outcome.PASS),
        (0.76, Outcome.CONDITIONAL_PASS),
        (1.0, Outcome.CONDITIONAL_PASS),
        (1.01, Outcome.CONDITIONAL_FAIL),
        (-1.25, Outcome.CONDITIONAL_FAIL),
        (1.26, Outcome.FAIL),
        (-5.0, Outcome.FAIL),
    ],
)
def test_four_outcomes(error, outcome):
    """L = 1, U = 0.25."""
    assert judge(error, 0.25, 1.0) is outcome


@pytest.mark.parametrize(
    ("error", "limit"), [(0.072, 0.23), (0.089, 0.23), (0.107, 0.23), (-0.009, 0.30), (-0.084, 0.30)]
)
def test_good_practice_temperature_certificate_passes(error, limit):
    """PTB good-practice DCC: U (k = 2) 0.061 K, every point passes with its acceptance limit."""
    assert judge(error, 0.061, limit) is Outcome.PASS


def test_an_uncertainty_above_the_limit_can_never_pass():
    assert judge(0.0, 2.0, 1.0) is Outcome.CONDITIONAL_PASS


def test_a_range_is_as_good_as_its_worst_point(range_with):
    limits = [0.5, 0.5, 1.0, 1.0, 2.0, 2.0, 1.0]
    outcomes = judge_points(range_with(), limits)
    # errors 0.21 0.31 0.62 1.14 2.21 1.27 0.91 W, U 0.05 0.07 0.14 0.27 0.54 0.14 0.14 W
    expected = ["pass", "pass", "pass", "conditional fail", "conditional fail", "pass", "conditional pass"]
    assert [outcome.value for outcome in outcomes] == expected
    assert judge_range(range_with(), limits) is Outcome.CONDITIONAL_FAIL


@given(st.floats(-10, 10), st.floats(0.01, 5), st.floats(0.01, 5))
def test_sign_does_not_matter_and_tolerance_follows_the_limit(error, expanded, limit):
    outcome = judge(error, expanded, limit)
    assert judge(-error, expanded, limit) is outcome
    assert outcome.within_tolerance == (abs(error) <= limit)


@pytest.mark.parametrize(("expanded", "limit"), [(0, 1), (0.1, 0), (-1, 1), (float("nan"), 1)])
def test_bad_figures(expanded, limit):
    with pytest.raises(ValueError, match="above 0"):
        judge(0.1, expanded, limit)
