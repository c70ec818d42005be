"""Numbers as cells of CSV files have them."""

from __future__ import annotations

import re

from wattmark.core.amounts import MOST

MISSING = frozenset(
    {"", "-", "--", "nan", "na", "n/a", "null", "none", "unavailable", "unknown", "inf", "-inf", "infinity", "#n/a"}
)
"""What programs write where there is no reading, in small letters."""
_PLAIN = {
    ".": re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"),
    ",": re.compile(r"[+-]?(?:[0-9]+,?[0-9]*|,[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"),
}
_GROUPED = {
    ".": re.compile(r"[+-]?[0-9]{1,3}(?:[, '\u00a0\u202f][0-9]{3})+(?:\.[0-9]+)?"),
    ",": re.compile(r"[+-]?[0-9]{1,3}(?:[. '\u00a0\u202f][0-9]{3})+(?:,[0-9]+)?"),
}
_LONGEST = 60


def parse_number(text: str, decimal: str, unit: str = "") -> float | None:
    """Read a number, with its unit behind it or not; None where there is no reading. Raises ValueError with a reason.

    Groups of three digits are read as thousands where they are written with another sign than the decimals.
    """
    if (
        decimal == "." and text.isascii() and "_" not in text
    ):  # what Python reads is what the pattern allows, and faster
        try:
            if -MOST <= (number := float(text)) <= MOST:
                return number
        except ValueError:
            pass
    plain = _PLAIN[decimal]
    if plain.fullmatch(text) is None:
        if text.lower() in MISSING:
            return None
        text = text.removesuffix(unit).rstrip() if unit else text
        if plain.fullmatch(text) is None:
            if _GROUPED[decimal].fullmatch(text) is None:
                raise ValueError(f"{text[:_LONGEST]!r} is no number")
            text = "".join(sign for sign in text if sign.isdigit() or sign in ("+", "-", decimal))
    number = float(text.replace(",", ".") if decimal == "," else text)
    if not abs(number) <= MOST:
        raise ValueError(f"{text[:_LONGEST]!r} is not a plausible value")
    return number


def decimals(text: str, decimal: str) -> int:
    """Count the decimals of a number as written; 0 for one in powers of ten."""
    part = text.partition(decimal)[2]
    return len(part) if part.isdigit() else 0
