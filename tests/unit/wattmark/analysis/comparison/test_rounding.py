"""Half away from zero, as the articles print, on decimals taken at their word."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.analysis.comparison.rounding import decimal_mean, p_words, round_half_away
from wattmark.analysis.refusal import Refused


@pytest.mark.parametrize(
    ("value", "decimals", "printed"),
    [
        (-3.25, 1, -3.3),
        (18.775, 1, 18.8),
        (7.225, 1, 7.2),
        (1.005, 2, 1.01),
        (2.5, 0, 3.0),
        (-2.5, 0, -3.0),
        (25, -1, 30),
    ],
)
def test_ties_go_away_from_zero(value, decimals, printed):
    assert round_half_away(value, decimals) == printed


def test_a_tie_stays_a_tie_when_averaged():
    """Kernel table of the article, MySQL 5: -3.25, printed -3.3; binary sums miss the tie."""
    assert decimal_mean([2.9, -4.4, -5.8, -5.7]) == -3.25
    assert decimal_mean([6.2, -2.7, -1.9, -1.6]) == 0


@pytest.mark.parametrize(("values", "reason"), [([], "empty"), ([1.0, math.nan], "not-finite")])
def test_nothing_to_average(values, reason):
    with pytest.raises(Refused) as refusal:
        decimal_mean(values)
    assert refusal.value.reason == reason


@given(st.floats(-1e12, 1e12), st.integers(0, 6))
def test_symmetric_and_within_half_a_digit(value, decimals):
    rounded = round_half_away(value, decimals)
    assert rounded == -round_half_away(-value, decimals)
    assert abs(rounded - value) <= 0.5 * 10.0**-decimals * (1 + 1e-9) + abs(value) * 1e-15


def test_p_values_are_written_as_papers_do() -> None:
    assert [p_words(p) for p in (0.0203, 0.5, 1e-4, 1.6e-107, 0.0)] == [
        "p = 0.02",
        "p = 0.5",
        "p = 0.0001",
        "p < 0.0001",
        "p < 0.0001",
    ]
