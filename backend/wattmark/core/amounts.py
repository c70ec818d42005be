"""The one door for numbers from outside: how a number is written, and how large or small an amount may be.

Whatever comes from programs, marks, hooks, JSON, logs, imports, archives and stored records passes here, so that
everything behind may compute with it. A number that does not is refused with what to do; it is never altered.

The bounds: an amount is 0 or from 1e-30 to 1e30. A day of the fastest computer is some 1e23 operations, and its energy
per operation 1e-16 J. Quotients of two amounts, such as work per joule, then stay within 1e±60, their squares in a
variance within 1e±120 and the fourth powers of Welch and Satterthwaite within 1e±240, all of them finite and none of
them 0: a float holds 1e±308. Sums of as many as fit into memory stay there too.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

Decimal = Literal[".", ","]
LEAST, MOST = 1e-30, 1e30
LATEST_NS = 2**62
"""In the year 2116 [UTC ns]; a margin about it still fits into 64 bits."""
_NUMBER = {
    ".": re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII),
    ",": re.compile(r"[-+]?(?:\d+(?:,\d*)?|,\d+)(?:[eE][-+]?\d+)?", re.ASCII),
}
_GROUPED = {
    ".": re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?", re.ASCII),
    ",": re.compile(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?", re.ASCII),
}
_AMBIGUOUS = {
    ".": re.compile(r"[-+]?[1-9]\d{0,2},\d{3}", re.ASCII),
    ",": re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}", re.ASCII),
}
_WORDS = re.compile(r"[-+]?(?:nan|inf|infinity)", re.IGNORECASE)
_COMMA = "Print it with a decimal point: set LC_ALL=C for the program, or let the pattern match another number."
_PLAIN = "Write digits with at most one decimal point, such as 1234.5, 1,234.5 or 1.2e6."


class NotANumber(ValueError):  # noqa: N818 - reads better at the raise site
    """A text is not an unambiguous number: ``cause`` quotes it with the reason, ``remedy`` says what to do."""

    def __init__(self, cause: str, remedy: str) -> None:
        super().__init__(cause)
        self.cause = cause
        self.remedy = remedy


def read_number(text: str, decimal: Decimal = ".") -> float:
    """Parse a number as programs and people write it; a number that is not finite is returned for `problem` to name.

    A comma is read in front of three digits, where it groups thousands: 1,234 and 1,234,567.8. In 0,500, 1234,56 and
    1,5 it may be a decimal one. Where the comma is declared as the decimal sign, the point groups in the same way.
    Raises `NotANumber`.
    """
    plain = text.strip()
    group = "," if decimal == "." else "."
    if _GROUPED[decimal].fullmatch(plain):
        plain = plain.replace(group, "")
    if _NUMBER[decimal].fullmatch(plain) or _WORDS.fullmatch(plain):
        return float(plain.replace(",", "."))
    if group in plain and any(digit.isdecimal() for digit in plain):
        sign = "comma" if group == "," else "point"
        raise NotANumber(f"{plain[:40]!r}, whose {sign} does not separate groups of three digits.", _COMMA)
    raise NotANumber(f"{plain[:40]!r}, which is not a number.", _PLAIN)


def is_ambiguous(text: str, decimal: Decimal = ".") -> bool:
    """Return whether a number that `read_number` reads would be another one by the other decimal sign: 1,234."""
    return _AMBIGUOUS[decimal].fullmatch(text.strip()) is not None


def problem(value: float) -> str | None:
    """Explain why a number cannot be an amount: not finite, below 0, or too large; None where it can."""
    if not math.isfinite(value):
        return "is not finite"
    if value < 0:
        return "is below 0"
    if value > MOST:
        return f"is above {MOST:g}, more than anything counts"
    if 0 < value < LEAST:
        return f"is below {LEAST:g} and not 0, less than anything counts"
    return None


def _amount(value: float) -> float:
    if (why := problem(value)) is not None:
        raise ValueError(f"{value:g} {why}")
    return value


def _document(value: dict[str, Any]) -> dict[str, Any]:
    """Check every number of a JSON document against the bounds of `Number`."""
    left: list[Any] = [value]
    for part in left:
        for item in part.values() if isinstance(part, dict) else part:
            if isinstance(item, (dict, list, tuple)):
                left.append(item)
            elif isinstance(item, (float, int)) and not abs(item) <= MOST:
                raise ValueError(f"it contains a number that is not finite or is beyond ±{MOST:g}")
    return value


Amount = Annotated[float, AfterValidator(_amount)]
"""An amount: work, a rate."""
UpTo = Annotated[float, Field(ge=0, le=MOST)]
"""One of many amounts, whose lower bound is held for all of them at once, or that nothing divides by."""
Number = Annotated[float, Field(ge=-MOST, le=MOST)]
"""Any other quantity, which may be below 0; dividing by one that is nearly 0 fails in its own run."""
Seconds = Annotated[float, Field(ge=-1e7, le=1e7)]
"""A period, an average or a latency: four months at most, ten of which still fit into 64 bits of nanoseconds."""
Instant = Annotated[int, Field(ge=0, le=LATEST_NS)]
"""Nanoseconds since 1970 or since a machine's start."""
Count = Annotated[int, Field(ge=-(2**53), le=2**53)]
"""A whole number that a float holds exactly."""
Document = Annotated[dict[str, Any], AfterValidator(_document)]
"""A JSON document that is shown and searched, and of which single figures are computed with."""
