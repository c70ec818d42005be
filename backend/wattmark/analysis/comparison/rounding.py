"""Rounding as printed tables do it: half away from zero, on exact decimals."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from wattmark.analysis.comparison.exact import mean
from wattmark.analysis.comparison.measured import Measured
from wattmark.analysis.refusal import Refused
from wattmark.core.numbers import format_number

_ANY_FLOAT = Context(prec=800)
"""Holds every float to any decimal that is printed."""


def round_half_away(value: float, decimals: int) -> float:
    """Return the value rounded to decimals, ties away from zero: -3.25 becomes -3.3, 1.005 becomes 1.01."""
    figure = Decimal(repr(Measured(float(value)).value))
    return float(figure.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, _ANY_FLOAT))


def p_words(p: float) -> str:
    """Format a p-value as papers do: two digits, or "below 0.0001"."""
    return "p < 0.0001" if p < 1e-4 else f"p = {format_number(p, 2)}"


def decimal_mean(values: Sequence[float]) -> float:
    """Average values exactly in their decimals, so that a printed tie stays a tie [unit of the values]."""
    if not values:
        raise Refused("empty", "There are no values to average.")
    return float(mean([decimal(value) for value in values]))


def decimal(value: float) -> Fraction:
    """Convert a number by its decimals: 0.1 is a tenth, not the nearest binary fraction."""
    return Fraction(repr(Measured(float(value)).value))
