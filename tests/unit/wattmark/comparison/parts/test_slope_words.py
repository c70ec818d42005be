"""Slopes in words: digits by the interval, and no zero with a sign."""

from __future__ import annotations

from wattmark.comparison.parts.slope_words import slope_words
from wattmark.core.interval import Interval


def test_digits_follow_the_interval() -> None:
    assert slope_words(Interval(value=6.2743, low=6.0813, high=6.4673)) == ("6.27 W", " (95 % interval 6.08 to 6.47 W)")
    assert slope_words(Interval(value=-0.0012, low=-0.0046, high=0.0022)) == (
        "-0.0012 W",
        " (95 % interval -0.0046 to 0.0022 W)",
    )
    assert slope_words(Interval(value=6.2, low=-4.0, high=16.4)) == ("6 W", " (95 % interval -4 to 16 W)")


def test_what_rounds_to_zero_has_no_sign() -> None:
    assert slope_words(Interval(value=-0.0004, low=-0.5004, high=0.4996)) == (
        "0.00 W",
        " (95 % interval -0.50 to 0.50 W)",
    )


def test_without_an_interval_three_digits_are_written() -> None:
    assert slope_words(Interval(value=6.2743)) == ("6.27 W", "")
