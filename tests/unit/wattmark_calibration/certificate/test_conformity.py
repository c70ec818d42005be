"""Conformity with guard band: ILAC-G8:09/2019 4.2.3, and the PTB good-practice example."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_calibration.certificate.conformity import Outcome, judge, judge_points, judge_range
from wattmark_calibration.certificate.points import CalibratedRange, Point


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


@pytest.mark.parametrize(
    ("error", "expanded", "limit", "outcome"),
    [
        (0.2, 0.1, 0.3, Outcome.PASS),
        (-0.2, 0.1, 0.3, Outcome.PASS),
        (0.7, 0.1, 0.8, Outcome.PASS),
        (0.3, 0.1, 0.1 + 0.2, Outcome.CONDITIONAL_PASS),
        (0.1 + 0.2, 0.1, 0.3, Outcome.CONDITIONAL_PASS),
        (0.4, 0.1, 0.3, Outcome.CONDITIONAL_FAIL),
        (1.1, 0.1, 1.2, Outcome.PASS),
    ],
)
def test_an_error_on_the_guard_band_is_judged_in_decimals(error, expanded, limit, outcome):
    """In binary 0.3 - 0.1 < 0.2, 0.1 + 0.2 > 0.3 and 0.8 - 0.1 > 0.7."""
    assert judge(error, expanded, limit) is outcome


@pytest.mark.parametrize(("reference", "indication"), [(100.0, 100.2), (250.0, 249.8), (1000.0, 1000.2), (0.7, 0.9)])
def test_the_error_of_a_point_is_exact_in_decimals(reference, indication):
    """|error| 0.2 W, U 0.1 W, limit 0.3 W: pass, though 100.2 - 100 is 0.2000000000000028 in binary."""
    point = Point(reference_w=reference, indication_w=indication, expanded_u_w=0.1, k=2.0)
    assert abs(point.error_w) == 0.2
    assert judge_points(CalibratedRange(name="r", points=(point,)), [0.3]) == [Outcome.PASS]


def hundredths(low, high):
    return st.integers(low, high).map(lambda n: n / 100)


@given(hundredths(-1000, 1000), hundredths(1, 500), hundredths(1, 500))
def test_every_outcome_follows_from_whole_hundredths(error, expanded, limit):
    e, u, most = (round(100 * x) for x in (abs(error), expanded, limit))
    expected = 0 if e <= most - u else 1 if e <= most else 2 if e <= most + u else 3
    assert judge(error, expanded, limit) is list(Outcome)[expected]


@given(hundredths(-1000, 1000), hundredths(1, 500), hundredths(1, 500))
def test_sign_does_not_matter_and_tolerance_follows_the_limit(error, expanded, limit):
    outcome = judge(error, expanded, limit)
    assert judge(-error, expanded, limit) is outcome
    assert outcome.within_tolerance == (abs(error) <= limit)


@pytest.mark.parametrize(("expanded", "limit"), [(0, 1), (0.1, 0), (-1, 1), (float("nan"), 1)])
def test_bad_figures(expanded, limit):
    with pytest.raises(ValueError, match="above 0"):
        judge(0.1, expanded, limit)
