"""Intervals that the rounding of printed digits allows."""

from __future__ import annotations

from decimal import Decimal
from math import hypot, sqrt

from wattmark.core.interval import Interval95


def half_width(printed: float) -> float:
    """Return half of the last printed digit; whole numbers are printed to the unit."""
    exponent = Decimal(repr(printed)).normalize().as_tuple().exponent
    return 0.5 * 10.0 ** min(int(exponent), 0)


def printed_interval(printed: float) -> Interval95:
    """Return the interval that rounds to the printed number; u is that of a rectangle."""
    half = half_width(printed)
    return Interval95(value=printed, low=printed - half, high=printed + half, u=half / sqrt(3))


def quotient_interval(numerator: Interval95, denominator: Interval95) -> Interval95:
    """Compute the quotient of two printed numbers; the interval has every quotient of values that round to them."""
    value = numerator.value / denominator.value
    relative_u = hypot(numerator.u / numerator.value, denominator.u / denominator.value)
    return Interval95(
        value=value,
        low=numerator.low / denominator.high,
        high=numerator.high / denominator.low,
        u=value * relative_u,
    )
