"""A figure is written as wattmark writes it everywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.client import Figure
from wattmark.core.numbers import format_uncertain


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (376.1751, 103.2, "380 ± 100 W"),
        (376.1751, 9.96, "376 ± 10 W"),
        (376.1751, 0.0471, "376.175 ± 0.047 W"),
        (0.177212, 0.047, "0.177 ± 0.047 W"),
        (1.23456e-9, 2.2e-11, "(1.235 ± 0.022)e-9 W"),
        (5.4321e9, 1.3e6, "(5.4321 ± 0.0013)e9 W"),
        (376.1751, None, "376 W"),
        (0.0, 0.5, "0.00 ± 0.50 W"),
    ],
)
def test_digits(value: float, half: float | None, text: str) -> None:
    assert str(Figure(value, "W", half)) == text


@given(st.floats(-1e30, 1e30), st.one_of(st.none(), st.floats(1e-12, 1)))
def test_it_is_the_text_of_every_page(value: float, share: float | None) -> None:
    half = None if share is None or not value else abs(value) * share
    assert str(Figure(value, "W", half)) == format_uncertain(value, half, "W")
