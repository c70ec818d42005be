"""Figures as written: decimals, not the nearest binary fractions."""

from __future__ import annotations

from fractions import Fraction


def written(value: float) -> Fraction:
    """Return the decimal that a number was written as, exact to 15 significant digits.

    Every decimal of up to 15 digits survives the way through a binary number (IEEE 754), so 0.3 is 3/10 again, and so
    is a limit of 0.1 % of 300 W. Raises `ValueError` for a value that is not a number.
    """
    return Fraction(format(float(value), ".15g"))
