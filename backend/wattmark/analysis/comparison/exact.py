"""Exact arithmetic on printed figures: fractions in, fractions out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor, prod


def mean(values: Sequence[Fraction]) -> Fraction:
    """Average values [unit of the values]. At least one is needed."""
    return sum(values, Fraction(0)) / len(values)


def change_pct(new: Fraction, old: Fraction) -> Fraction:
    """Compute 100 (new/old - 1) [%]."""
    return (new / old - 1) * 100


def chained_pct(changes_pct: Sequence[Fraction]) -> Fraction:
    """Compute the change of several changes one after the other [%]: (1 + a)(1 + b) - 1."""
    return (prod((1 + change / 100 for change in changes_pct), start=Fraction(1)) - 1) * 100


def round_half_away(value: Fraction, decimals: int) -> Fraction:
    """Return the value rounded to a number of decimals, ties away from zero."""
    scale = 10**decimals
    nearest = floor(abs(value) * scale + Fraction(1, 2))
    return Fraction(nearest if value >= 0 else -nearest, scale)
