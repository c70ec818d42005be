"""Rounding as printed tables do it: half away from zero, on decimals taken at their word."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from wattmark.analysis.exact import mean
from wattmark.analysis.measured import Measured
from wattmark.analysis.refusal import Refused

_ANY_FLOAT = Context(prec=800)
"""Holds every float to any decimal that is printed."""


def round_half_away(value: float, decimals: int) -> float:
    """Round to a number of decimals, ties away from zero: -3.25 becomes -3.3, 1.005 becomes 1.01."""
    figure = Decimal(repr(Measured(float(value)).value))
    return float(figure.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, _ANY_FLOAT))


def p_words(p: float) -> str:
    """Write a p-value as papers do: two digits, and no more than that it lies below 0.0001."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"


def decimal_mean(values: Sequence[float]) -> float:
    """Average values exactly as their decimals say, so that a printed tie stays a tie [unit of the values]."""
    if not values:
        raise Refused("empty", "There is nothing to average.")
    return float(mean([decimal(value) for value in values]))


def decimal(value: float) -> Fraction:
    """Take a number at its decimals: 0.1 is a tenth, not the nearest binary fraction."""
    return Fraction(repr(Measured(float(value)).value))
