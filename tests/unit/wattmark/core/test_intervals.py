"""A ratio and its interval in words: for every ratio the digits tell the ends apart, and no exponent appears."""

import math
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wattmark.analysis.comparison.comparison import Estimate
from wattmark.comparison.compare.wording import amount, bare, difference
from wattmark.core.numbers import THIN_SPACE, format_number, interval_texts, signed_interval, signed_number

RATIOS = st.floats(min_value=1e-9, max_value=1e9)
WIDTHS = st.floats(min_value=1e-9, max_value=3.0)
NO_EXPONENT = ("e+", "e-", "E+", "E-", "inf", "nan")


def number(text: str) -> Decimal:
    return Decimal(text.replace(THIN_SPACE, ""))


@given(RATIOS, WIDTHS, WIDTHS)
@example(2.0005, 0.00175, 0.00175)
@example(1034.0, 0.001, 0.001)
@example(0.9997, 1e-5, 1e-5)
def test_the_ends_enclose_the_value_and_differ_where_they_differ(value: float, below: float, above: float) -> None:
    low, high = value * math.exp(-below), value * math.exp(above)
    texts = interval_texts(value, low, high)
    shown = [number(text) for text in texts]
    assert shown[1] <= shown[0] <= shown[2]
    assert (shown[1] < shown[2]) == (low < high)
    assert len({text.partition(".")[2].__len__() for text in texts}) == 1, "one last digit"
    for exact, text in zip((value, low, high), shown, strict=True):
        assert abs(Decimal(exact) - text) <= Decimal(high - low) / 10, "rounding costs little of the width"
    assert not any(mark in text for text in texts for mark in NO_EXPONENT)


@given(RATIOS, st.floats(min_value=1e-9, max_value=2.0))
@example(2.0005, 0.00088)
@example(1e9, 1e-9)
@example(1.9999, 0.5)
@example(0.5, 0.9)
def test_no_sentence_on_a_ratio_has_an_interval_without_width(value: float, u: float) -> None:
    estimate = Estimate(math.log(value), u, math.inf)
    low, high = estimate.interval()
    size, span = amount(estimate)
    words = span.removeprefix("95 % interval ").removesuffix(" %").split(" to ")
    assert (number(words[0]) < number(words[1])) == (low < high)
    assert ("times" in size) == (max(estimate.value, 1 / estimate.value) >= 2)
    assert (
        "times" not in size
        or number(size.split(" ")[0]) >= Decimal("1.99")
        or 0 < number(size.split(" ")[0]) < Decimal("0.51")
    )
    for sentence in (difference("a", "b", estimate), bare("a", "b", value)):
        assert not any(mark in sentence for mark in NO_EXPONENT)


def test_the_ratio_of_the_review_is_printed_with_its_interval() -> None:
    texts = interval_texts(2.0005, 1.9970, 2.0040)
    assert texts == ("2.0005", "1.9970", "2.0040")
    assert interval_texts(1034.2, 1030.0, 1038.0) == (
        f"1{THIN_SPACE}034.2",
        f"1{THIN_SPACE}030.0",
        f"1{THIN_SPACE}038.0",
    )


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (0.9997, "a and b show the same work per joule to three digits"),
        (1.0, "a and b show the same work per joule to three digits"),
        (1.0126, "a shows 1 % more work per joule than b"),
        (0.953, "a shows 4.7 % less work per joule than b"),
        (0.316, "a shows 0.316 times the work per joule of b"),
        (2.0005, "a shows 2 times the work per joule of b"),
        (1034.0, f"a shows 1{THIN_SPACE}034 times the work per joule of b"),
    ],
)
def test_a_ratio_without_interval_has_three_digits(ratio: float, words: str) -> None:
    assert bare("a", "b", ratio) == words


@pytest.mark.parametrize(
    ("interval", "texts"),
    [
        ((1.0, 0.97, math.inf), ("1.000", "0.970", "unbounded")),
        ((40.0, -math.inf, 41.5), ("40.0", "unbounded", "41.5")),
        ((0.5, 0.5, math.inf), ("0.50", "0.50", "unbounded")),
        ((2.0, -math.inf, math.inf), ("2.0", "unbounded", "unbounded")),
    ],
)
def test_an_interval_with_one_end_tells_it_from_its_value(interval: tuple[float, ...], texts: tuple[str, ...]) -> None:
    """Two digits of how far the end lies from the value: "1.0, from 1.0" would say that nothing lies between them."""
    assert interval_texts(*interval) == texts


def test_changes_have_a_sign_and_zero_has_none() -> None:
    assert signed_interval(-3.24, -3.31, -3.17) == ("-3.24", "-3.31", "-3.17")
    assert signed_interval(0.5, -0.2, 1.2) == ("+0.5", "-0.2", "+1.2")
    assert [signed_number(value, 2) for value in (100.4, -0.25, 0.0, 1.04)] == ["+100", "-0.25", "0", "+1"]
    assert "e" not in signed_number(123456.0, 2)


@given(st.floats(min_value=-1e9, max_value=1e9), st.integers(min_value=1, max_value=6))
def test_no_number_up_to_a_milliard_has_an_exponent(value: float, digits: int) -> None:
    text = format_number(value, digits)
    if value == 0 or abs(value) >= 1e-4:
        assert not any(mark in text for mark in NO_EXPONENT)
