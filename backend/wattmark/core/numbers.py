"""The one formatter of quantities for people: value and uncertainty share the last digit (JCGM 100, 7.2.6)."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal

THIN_SPACE = "\u202f"
"""Narrow no-break space: groups thousands without breaking the line."""
NOT_KNOWN = "–"
_PLAIN = range(-4, 9)
"""Powers of ten that are written out; others get an exponent."""
_DIGITS_OF_A_FLOAT = 17
"""Beyond these a value and its uncertainty have no digits in common."""
_ANY_FLOAT = Context(prec=800)
"""Holds every float to the last digit that any other can have: 1e308 down to 5e-324."""
_DIGITS_ALONE = 3
"""Digits of a measured value without a known uncertainty: more would claim an accuracy that is not known, and fewer,
as "30" beside "29.4", one that is lost."""


def format_uncertain(value: float | None, expanded_u: float | None, unit: str = "") -> str:
    """Format "245.3 ± 1.9 W": two significant digits of uncertainty, rounded half away from zero.

    Without an uncertainty the value alone is written, to three digits; without a value a dash. Each has digits of its
    own where the last digit of one lies beyond all digits of the other.
    """
    if value is None or not math.isfinite(value):
        return NOT_KNOWN
    if expanded_u is None or not math.isfinite(expanded_u) or expanded_u <= 0:
        return format_alone(value, unit)
    exact, u = _exact(value), _exact(expanded_u)
    if _far_apart(exact, u):
        return _with_unit(f"{format_number(value)} ± {format_number(expanded_u, 2)}", unit)
    exponent = _exponent(max(abs(exact), u))
    scaled, u = exact.scaleb(-exponent), u.scaleb(-exponent)
    step = _two_digits(u)
    text = f"{_fixed(scaled, step)} ± {_fixed(u, step)}"
    return _with_unit(f"({text})e{exponent}" if exponent else text, unit)


def format_rounded(value: float | None, expanded_u: float | None, unit: str = "") -> str:
    """Format a value, or a limit of an interval, to the last digit of its two-digit uncertainty: "245.3"."""
    if value is None or not math.isfinite(value) or expanded_u is None or not math.isfinite(expanded_u):
        return format_alone(value, unit)
    exact, u = _exact(value), _exact(expanded_u)
    if u <= 0 or _far_apart(exact, u):
        return format_alone(value, unit)
    return _stepped(exact, _two_digits(u), unit)


def format_printed(value: float | None, rounding: float, unit: str = "") -> str:
    """Format a figure that others printed, or a quotient of such, to the last digit that their rounding supports.

    ``rounding`` is half the width of what rounds to the printed digits: 94 with 0.5 is "94", 57.0319 with 0.15 "57.0".
    """
    if value is None or not math.isfinite(value) or not math.isfinite(rounding) or rounding <= 0:
        return format_alone(value, unit)
    return _stepped(_exact(value), _rounding_step(rounding), unit)


def format_alone(value: float | None, unit: str = "", resolution: float | None = None) -> str:
    """Format a measured value of unknown uncertainty with three significant digits: "1 100 W", "30.0 W".

    ``resolution`` is the last digit of a single reading, which no digit may lie beyond: 8 with 1 is "8".
    """
    if value is None or not math.isfinite(value):
        return NOT_KNOWN
    exact = _exact(value)
    step = _shown_step(exact)
    if resolution is not None and math.isfinite(resolution) and resolution > 0:
        step = max(step, Decimal(1).scaleb(_exact(resolution).adjusted()))
    return _stepped(exact, step, unit)


def partial_u(value: float | None, expanded_u: float | None) -> float | None:
    """Return a U95 that holds only part of the uncertainty, as that of counting alone; None where it misleads.

    It misleads where it would give the value more digits than one of unknown uncertainty has: the part that is not
    in it may be larger.
    """
    if value is None or expanded_u is None or not all(map(math.isfinite, (value, expanded_u))) or expanded_u <= 0:
        return None
    return None if _two_digits(_exact(expanded_u)) < _alone_step(_exact(value)) else expanded_u


def decimals_shown(value: float, expanded_u: float | None, rounding: float | None = None) -> int:
    """Return the decimals with which a measured value is written, given its U95 or the rounding of its source."""
    exact = _exact(value)
    if expanded_u is not None and math.isfinite(expanded_u) and expanded_u > 0:
        step = _two_digits(_exact(expanded_u))
    elif rounding is not None and math.isfinite(rounding) and rounding > 0:
        step = _rounding_step(rounding)
    else:
        step = _shown_step(exact)
    return max(0, -step.adjusted())


def format_number(value: float | None, digits: int = 6, unit: str = "") -> str:
    """Format a number with at most ``digits`` significant digits, thousands grouped; a dash where it is unknown."""
    if value is None or not math.isfinite(value):
        return NOT_KNOWN
    exact = _exact(value)
    exponent = _exponent(exact)
    scaled = exact.scaleb(-exponent)
    step = Decimal(1).scaleb(min(scaled.adjusted() - digits + 1, 0)) if scaled else Decimal(1)
    text = _fixed(scaled, step)
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return _with_unit(f"{text}e{exponent}" if exponent else text, unit)


UNBOUNDED = "unbounded"


def interval_texts(value: float, low: float, high: float, digits: int = 0) -> tuple[str, str, str]:
    """Format a value and the ends of its interval to one last digit: that of two digits of the interval's width.

    The ends look different wherever they differ, and none has an exponent. The value keeps ``digits`` digits, however
    wide its interval.
    """
    width = high - low if math.isfinite(high - low) else _one_sided(value, low, high)
    step = Decimal(1).scaleb(min(_exact(width).adjusted() - 1, 0)) if width > 0 else _alone_step(_exact(value))
    kept = _exact(value).adjusted() - digits + 1 if digits and value else 0
    step = min(step, Decimal(1), Decimal(1).scaleb(kept))
    shown = (_fixed(_exact(number), step) if math.isfinite(number) else UNBOUNDED for number in (value, low, high))
    of_value, of_low, of_high = shown
    return of_value, of_low, of_high


def _one_sided(value: float, low: float, high: float) -> float:
    """Return how far the one end that an interval has lies from its value; the value's size where it has none."""
    ends = [abs(value - end) for end in (low, high) if math.isfinite(value - end)]
    return max(ends, default=0.0) or abs(value)


def format_ratio(value: float, digits: int = 3) -> str:
    """Format a ratio without a known interval to a number of significant digits, never with an exponent."""
    exact = _exact(value)
    text = _fixed(exact, Decimal(1).scaleb(min(exact.adjusted() - digits + 1, 0)) if exact else Decimal(1))
    return text.rstrip("0").rstrip(".") if "." in text else text


def signed_interval(value: float, low: float, high: float) -> tuple[str, str, str]:
    """Format a change and the ends of its interval like `interval_texts`, with a sign; zero has none."""
    of_value, of_low, of_high = (
        f"+{text}" if number > 0 and text.strip("0.") and text != UNBOUNDED else text
        for number, text in zip((value, low, high), interval_texts(value, low, high), strict=True)
    )
    return of_value, of_low, of_high


def signed_number(value: float | None, digits: int, unit: str = "") -> str:
    """Format a difference like `format_number`, with its sign; zero has none."""
    text = format_number(value, digits, unit)
    return f"+{text}" if value is not None and math.isfinite(value) and value > 0 else text


def _stepped(exact: Decimal, step: Decimal, unit: str) -> str:
    """Write a value to the digit of ``step``."""
    exponent = _exponent(max(abs(exact), step))
    text = _fixed(exact.scaleb(-exponent), step.scaleb(-exponent))
    return _with_unit(f"{text}e{exponent}" if exponent else text, unit)


def _rounding_step(rounding: float) -> Decimal:
    """Find the last digit of a value that is within ``rounding`` of the exact one."""
    width = Decimal(f"{2 * rounding:.6e}")  # differences of floats: 94.05 - 93.95 is 0.0999999
    return Decimal(1).scaleb(width.adjusted())


def _alone_step(exact: Decimal) -> Decimal:
    """Find the last digit of a value of unknown uncertainty."""
    return Decimal(1).scaleb(exact.adjusted() - _DIGITS_ALONE + 1)


def _shown_step(exact: Decimal) -> Decimal:
    """Find the last digit with which such a value is written, also when rounding carries (99.96 becomes 100)."""
    if not exact:
        return Decimal(1)
    return _alone_step(exact.quantize(_alone_step(exact), ROUND_HALF_UP, _ANY_FLOAT))


def _exact(value: float) -> Decimal:
    return Decimal(repr(float(value)))


def _far_apart(value: Decimal, u: Decimal) -> bool:
    """Return whether value and uncertainty together need more digits than a float has."""
    return abs((value.adjusted() if value else 0) - u.adjusted()) >= _DIGITS_OF_A_FLOAT


def _exponent(value: Decimal) -> int:
    return 0 if not value or value.adjusted() in _PLAIN else value.adjusted()


def _two_digits(u: Decimal) -> Decimal:
    """Find the step that leaves two significant digits, also when rounding carries (0.0996 becomes 0.10)."""
    step = Decimal(1).scaleb(u.adjusted() - 1)
    carried = u.quantize(step, ROUND_HALF_UP, _ANY_FLOAT).adjusted() > u.adjusted()
    return step.scaleb(1) if carried else step


def _fixed(value: Decimal, step: Decimal) -> str:
    rounded = value.quantize(step, ROUND_HALF_UP, _ANY_FLOAT)
    return format(rounded if rounded else abs(rounded), ",f").replace(",", THIN_SPACE)


def _with_unit(text: str, unit: str) -> str:
    return f"{text} {unit}".rstrip()
