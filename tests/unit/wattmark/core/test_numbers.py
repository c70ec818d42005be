from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.core.numbers import (
    NOT_KNOWN,
    THIN_SPACE,
    decimals_shown,
    format_alone,
    format_number,
    format_printed,
    format_rounded,
    format_uncertain,
    partial_u,
)

from tests.examples import examples


@pytest.mark.parametrize(
    ("value", "u", "unit", "text"),
    [
        (245.31, 1.87, "W", "245.3 ± 1.9 W"),
        (25.4694, 0.2083, "signs/J", "25.47 ± 0.21 signs/J"),
        # NIST and GUM (7.2.2): m = 100.021 47 g with u = 0.35 mg.
        (100.02147, 0.00035, "g", "100.02147 ± 0.00035 g"),
        (93371.4, 123.0, "samples/s", f"93{THIN_SPACE}370 ± 120 samples/s"),
        (10.0, 0.0996, "", "10.00 ± 0.10"),
        (0.9996, 0.00996, "", "1.000 ± 0.010"),
        (-3.25, 0.95, "", "-3.25 ± 0.95"),
        (2.5e-6, 3.1e-8, "J", "(2.500 ± 0.031)e-6 J"),
        (1.5, 20.0, "", "2 ± 20"),
        (0.0, 1.0, "W", "0.0 ± 1.0 W"),
        # An offset that a fit found to be next to nothing: the ± decides how both are written.
        (3.1e-12, 0.021, "W", "0.000 ± 0.021 W"),
        (-1e-6, 0.5, "W", "0.00 ± 0.50 W"),
        (2.0, 3e10, "", "(0.0 ± 3.0)e10"),
    ],
)
def test_value_and_uncertainty_share_the_last_digit(value: float, u: float, unit: str, text: str) -> None:
    assert format_uncertain(value, u, unit) == text


@pytest.mark.parametrize(
    ("value", "u", "text"),
    [
        (245.31, 1.87, "245.3"),
        (93371.4, 123.0, f"93{THIN_SPACE}370"),
        (9.6449, 0.0996, "9.64"),
        (0.449, 12.0, "0"),
        (3.1e-12, 0.021, "0.000"),
        (2.531e-6, 3.1e-8, "2.531e-6"),
        (245.317, None, "245"),
        (None, 1.0, NOT_KNOWN),
    ],
)
def test_ends_of_an_interval_are_rounded_by_its_width(value: float | None, u: float | None, text: str) -> None:
    """Two digits of the half width decide the last digit, as for a value with its uncertainty (JCGM 100, 7.2.6)."""
    assert format_rounded(value, u) == text


@pytest.mark.parametrize("u", [None, 0.0, -1.0, float("nan"), float("inf")])
def test_no_uncertainty_is_not_written_as_zero(u: float | None) -> None:
    assert format_uncertain(1101.2828341, u, "W") == f"1{THIN_SPACE}100 W"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (93371.4, f"93{THIN_SPACE}400"),
        (378.29, "378"),
        (16.082, "16.1"),
        # A zero that was measured is written: 30.0 beside 29.4.
        (30.0312, "30.0"),
        (29.96, "30.0"),
        (99.96, "100"),
        (5.0, "5.00"),
        (0.0068745, "0.00687"),
        (1.64551, "1.65"),
        (0.0, "0"),
        (1.23456e12, "1.23e12"),
        (None, NOT_KNOWN),
    ],
)
def test_measured_value_without_uncertainty_has_three_digits(value: float | None, text: str) -> None:
    """The pages' rule for a figure whose ± nobody knows."""
    assert format_alone(value) == text


@pytest.mark.parametrize(
    ("value", "resolution", "text"),
    [(8.0, 1.0, "8"), (8.0, 0.1, "8.0"), (8.0, 0.001, "8.00"), (120.0, 10.0, "120"), (245.0, 1.0, "245")],
)
def test_a_reading_claims_no_digit_that_its_meter_does_not_have(value: float, resolution: float, text: str) -> None:
    """A BMC that reads in steps of 1 W shows 8 W, not 8.00 W; a finer meter still shows three digits."""
    assert format_alone(value, resolution=resolution) == text


@pytest.mark.parametrize(
    ("value", "rounding", "text"),
    [
        # AnandTech 2006: 10722 signs/s at 188 W; each printed digit is good to half of it, the quotient to 0.3 %.
        (10722.0, 0.5, f"10{THIN_SPACE}722"),
        (188.0, 0.5, "188"),
        (10722 / 188, (10722.5 / 187.5 - 10721.5 / 188.5) / 2, "57.0"),
        (94.0, (94.05 - 93.95) / 2, "94.0"),
        (120000.0, 500.0, f"120{THIN_SPACE}000"),
        (57.0319, 0.0, "57.0"),
    ],
)
def test_published_figure_has_the_digits_of_its_source(value: float, rounding: float, text: str) -> None:
    assert format_printed(value, rounding) == text


@pytest.mark.parametrize(
    ("value", "u", "shown"),
    [
        # Whole operations counted in a window of minutes: a ± of a millionth says nothing of how the rate repeats.
        (124529.2197, 0.0012, None),
        (13336.2111, 0.0089, None),
        (0.5, 0.0009, None),
        (99.96, 0.99, None),
        # A count of few: its ± asks for three digits or fewer.
        (99.96, 1.2, 1.2),
        (12.0, 1.4, 1.4),
        (13336.0, 1200.0, 1200.0),
        (7.0, None, None),
        (7.0, 0.0, None),
        (7.0, float("nan"), None),
    ],
)
def test_counting_alone_gives_no_more_than_three_digits(value: float, u: float | None, shown: float | None) -> None:
    assert partial_u(value, u) == shown


def test_spreadsheets_show_the_decimals_of_the_text() -> None:
    assert decimals_shown(245.31, 1.87) == 1
    assert decimals_shown(93371.4, 123.0) == 0
    assert decimals_shown(57.0319, None, 0.15) == 1
    assert decimals_shown(16.082, None) == 1
    assert decimals_shown(0.0, None) == 0


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (93371.4, f"93{THIN_SPACE}371.4"),
        (6240.0, f"6{THIN_SPACE}240"),
        (0.039263, "0.039263"),
        (868.017, "868.017"),
        (1234567.0, f"1{THIN_SPACE}234{THIN_SPACE}567"),
        (1.23456789e-7, "1.23457e-7"),
        (0.0, "0"),
        (None, NOT_KNOWN),
        (float("nan"), NOT_KNOWN),
    ],
)
def test_number_alone(value: float | None, text: str) -> None:
    assert format_number(value) == text


@settings(deadline=None)
@given(st.floats(-1e8, 1e8), st.floats(1e-4, 1e6))
def test_both_have_the_same_decimals_and_lie_within_half_a_digit(value: float, u: float) -> None:
    text = format_uncertain(value, u).replace(THIN_SPACE, "")
    if "e" in text:
        return
    shown, shown_u = text.split(" ± ")
    assert len(shown.partition(".")[2]) == len(shown_u.partition(".")[2])
    step = Decimal(10) ** (Decimal(repr(u)).adjusted() - 1) * 10
    assert abs(Decimal(shown) - Decimal(repr(value))) <= step / 2


@settings(max_examples=examples(500))
@given(st.floats(), st.none() | st.floats(), st.integers(1, 17))
def test_any_float_at_all_is_written(value: float, u: float | None, digits: int) -> None:
    for text in (format_number(value, digits), format_uncertain(value, u), format_rounded(value, u)):
        assert text
        assert len(text) < 80


@pytest.mark.parametrize(
    ("value", "u", "text"),
    [
        (1e60, 1e-3, "1e60 ± 0.001"),
        (1e60, 2.1e58, "(1.000 ± 0.021)e60"),
        (1e308, 1e308, "(1.0 ± 1.0)e308"),
        (1e-320, None, "1.00e-320"),
        (5e-324, 5e-324, "(5.0 ± 5.0)e-324"),
        (3.0, 1e200, "3 ± 1e200"),
        (0.0, 1e200, "0 ± 1e200"),
        (float("inf"), 1.0, NOT_KNOWN),
        (float("nan"), None, NOT_KNOWN),
    ],
)
def test_values_far_from_their_uncertainty_have_digits_of_their_own(value: float, u: float | None, text: str) -> None:
    assert format_uncertain(value, u) == text
