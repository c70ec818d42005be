"""The one formatter of quantities for people: value and uncertainty share the last digit (JCGM 100, 7.2.6)."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal

THIN_SPACE = "\u202f"
"""Narrow no-break space: groups thousands without breaking the line."""
NOT_KNOWN = "–"
_PLAIN = range(-4, 9)
"""Powers of ten that are written out; others get an exponent."""


def format_uncertain(value: float | None, expanded_u: float | None, unit: str = "") -> str:
    """Write "245.3 ± 1.9 W": two significant digits of uncertainty, rounded half away from zero.

    Without an uncertainty the value alone is written; without a value a dash.
    """
    if value is None or not math.isfinite(value):
        return NOT_KNOWN
    if expanded_u is None or not math.isfinite(expanded_u) or expanded_u <= 0:
        return format_number(value, unit=unit)
    exponent = _exponent(Decimal(repr(value)))
    scaled, u = (Decimal(repr(x)).scaleb(-exponent) for x in (value, expanded_u))
    step = _two_digits(u)
    text = f"{_fixed(scaled, step)} ± {_fixed(u, step)}"
    return _with_unit(f"({text})e{exponent}" if exponent else text, unit)


def format_rounded(value: float | None, expanded_u: float | None, unit: str = "") -> str:
    """Write a value, or an end of an interval, to the last digit that two digits of its uncertainty leave: "245.3"."""
    if value is None or expanded_u is None or not math.isfinite(expanded_u) or expanded_u <= 0:
        return format_number(value, unit=unit)
    exponent = _exponent(Decimal(repr(value)))
    step = _two_digits(Decimal(repr(expanded_u)).scaleb(-exponent))
    text = _fixed(Decimal(repr(value)).scaleb(-exponent), step)
    return _with_unit(f"{text}e{exponent}" if exponent else text, unit)


def format_number(value: float | None, digits: int = 6, unit: str = "") -> str:
    """Write a number with at most ``digits`` significant digits, thousands grouped; a dash where it is not known."""
    if value is None or not math.isfinite(value):
        return NOT_KNOWN
    exact = Decimal(repr(value))
    exponent = _exponent(exact)
    scaled = exact.scaleb(-exponent)
    step = Decimal(1).scaleb(min(scaled.adjusted() - digits + 1, 0)) if scaled else Decimal(1)
    text = _fixed(scaled, step)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return _with_unit(f"{text}e{exponent}" if exponent else text, unit)


def _exponent(value: Decimal) -> int:
    return 0 if not value or value.adjusted() in _PLAIN else value.adjusted()


def _two_digits(u: Decimal) -> Decimal:
    """Find the step that leaves two significant digits, also when rounding carries (0.0996 becomes 0.10)."""
    step = Decimal(1).scaleb(u.adjusted() - 1)
    carried = u.quantize(step, ROUND_HALF_UP).adjusted() > u.adjusted()
    return step.scaleb(1) if carried else step


def _fixed(value: Decimal, step: Decimal) -> str:
    rounded = value.quantize(step, ROUND_HALF_UP)
    return format(rounded + 0, ",f").replace(",", THIN_SPACE)


def _with_unit(text: str, unit: str) -> str:
    return f"{text} {unit}".rstrip()
