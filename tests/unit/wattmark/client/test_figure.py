"""A figure is written with two digits of its ±, and no more of its value."""

from __future__ import annotations

import pytest
from wattmark.client import Figure


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (376.1751, 103.2, "380 ± 100 W"),
        (376.1751, 9.96, "376.2 ± 10.0 W"),
        (376.1751, 0.0471, "376.175 ± 0.047 W"),
        (0.177212, 0.047, "0.177 ± 0.047 W"),
        (1.23456e-9, 2.2e-11, "(1.235 ± 0.022)e-9 W"),
        (5.4321e9, 1.3e6, "(5.4321 ± 0.0013)e9 W"),
        (376.1751, None, "376.175 W"),
        (0.0, 0.5, "0.00 ± 0.50 W"),
    ],
)
def test_digits(value: float, half: float | None, text: str) -> None:
    assert str(Figure(value, "W", half)) == text
