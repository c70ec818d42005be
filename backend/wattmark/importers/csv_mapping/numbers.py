"""Numbers as cells of CSV files have them, with or without the unit behind them."""

from __future__ import annotations

import re
from typing import NamedTuple

from wattmark.core.amounts import MOST, Decimal, NotANumber, is_ambiguous, read_number
from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.rates import written_rate
from wattmark.importers.csv_mapping.units import COUNT, TOTAL, UNITS, Unit, spelled

MISSING = frozenset(
    {"", "-", "--", "nan", "na", "n/a", "null", "none", "unavailable", "unknown", "inf", "-inf", "infinity", "#n/a"}
)
"""What programs write where there is no reading, in small letters."""
_WITH_UNIT = re.compile(r"(.*[0-9.,])[ \u00a0\u202f]*([A-Za-z\u00b5\u03bc\u00b0%\u2126][A-Za-z/%]{0,8})")
_SPACED = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:[ '\u2019\u00a0\u202f][0-9]{3})+(?:[.,][0-9]*)?")
"""Groups of three digits, separated by a sign that stands for nothing else in a cell."""
_MULTIPLES = frozenset({"k", "K", "M", "G", "T"})
"""Letters by which programs shorten large numbers; K alone is a unit too, of temperature."""
_WITH_WORK = re.compile(
    r"(.*[0-9.,])[ \u00a0\u202f]*([A-Za-z][A-Za-z -]{0,30}?)?[ \u00a0\u202f]*"
    r"((?:/ ?|\bper )(?:s|sec|seconds?|min|minutes?|h|hr|hours?))?"
)
"""What a cell counts, and the time in which it was done: 10 ops/s."""
_LONGEST = 60


class OtherUnitError(InputError):
    """A cell is written in a unit that is none of its column's quantity."""


class Cell(NamedTuple):
    """A number as written in a cell."""

    value: float
    """In the unit that is written behind it, or in that of the column."""
    unit: str | None = None
    """The unit that is written behind it, where that is not the column's."""
    number: str = ""
    """What was written before the unit."""
    ambiguous: bool = False
    """By the other decimal sign, it would be another number."""


def parse_cell(text: str, decimal: Decimal, quantity: str = "", unit: str = "", work: str = "") -> Cell | None:
    """Read a number, with a unit behind it or not; None where there is no reading. Raises ValueError with a reason.

    A unit of the quantity that is written in the cell decides what the number is; ``work`` is what a throughput counts.
    Raises `OtherUnitError` for a unit of another quantity.
    """
    if decimal == "." and text.isascii() and "_" not in text:  # float() reads the same numbers as read_number, faster
        try:
            if -MOST <= (value := float(text)) <= MOST:
                return Cell(value, None, text)
        except ValueError:
            pass
    if text.lower() in MISSING:
        return None
    match = _WITH_UNIT.fullmatch(text)
    if match and match[2] in _MULTIPLES and quantity != "temperature":
        raise ValueError(f"{text[:_LONGEST]!r} ends with {match[2]}, which multiplies it: write the number out")
    if quantity == "throughput":
        return _throughput(text, decimal, unit, work)
    written = spelled(match[2]) if match else ""
    number = _number(text, match[1] if match and written else text, decimal)
    if written in ("", unit):
        return number
    if not quantity:
        raise ValueError(f"{text[:_LONGEST]!r} is not a number")
    if written not in UNITS[quantity]:
        raise OtherUnitError(
            f"A column of {quantity} holds {text[:_LONGEST]!r}, and {written} is not a unit of {quantity}.",
            "Map another column, or give each unit a column of its own.",
        )
    return number._replace(unit=written)


def _throughput(text: str, decimal: Decimal, unit: str, work: str) -> Cell:
    """Read an amount of work or a rate. Raises ValueError, and `OtherUnitError` for a rate in a column of amounts."""
    match = _WITH_WORK.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        return _number(text, text, decimal)
    number, counted = _number(text, match[1], decimal), (match[2] or "").strip()
    if counted and counted.removesuffix("s") != work.removesuffix("s"):
        raise ValueError(
            f"{text[:_LONGEST]!r} counts {counted!r}, and the mapping {work!r}: write its work_unit as the cells do"
        )
    if match[3] is None and unit not in (COUNT, TOTAL):
        raise ValueError(f"{text[:_LONGEST]!r} is an amount, and the unit of the column a rate, {unit}")
    if match[3] is None:
        return number
    rate = written_rate(match[3])
    if unit in (COUNT, TOTAL):
        raise OtherUnitError(
            f"A column of work holds {text[:_LONGEST]!r}, which is a rate.", f"Give the column the unit {rate!r}."
        )
    return number if rate == unit else number._replace(unit=rate)


def _number(text: str, number: str, decimal: Decimal) -> Cell:
    """Read the number of a cell. Raises ValueError."""
    if _SPACED.fullmatch(number):
        number = "".join(sign for sign in number if sign.isdecimal() or sign in "+-.,")
    try:
        value = read_number(number, decimal)
    except NotANumber:
        raise ValueError(f"{text[:_LONGEST]!r} is not a number") from None
    if not abs(value) <= MOST:
        raise ValueError(f"{text[:_LONGEST]!r} is not a plausible value")
    return Cell(value, None, number, is_ambiguous(number, decimal))


def parse_number(text: str, decimal: Decimal, unit: str = "") -> float | None:
    """Read a number of a column without another unit than its own; None where there is none. Raises ValueError."""
    cell = parse_cell(text, decimal, "", unit)
    return None if cell is None else cell.value


def unit_of(cell: Cell, quantity: str, unit: str) -> Unit:
    """Return the unit in which a cell is written: that of the cell, else of its column."""
    return UNITS[quantity][cell.unit or unit]


def require_clear(where: str, text: str, decimal: Decimal) -> None:
    """Refuse a file in which nothing distinguishes groups of three digits from decimals. Raises `InputError`."""
    other = "," if decimal == "." else "."
    raise InputError(
        f"{where}: in {text[:_LONGEST]!r} the {'comma' if other == ',' else 'point'} may separate thousands or "
        "decimals, and no number of the file shows which.",
        f"Write decimal: {other!r} in the mapping if it separates decimals, else remove the groups from the file.",
    )


def decimals(text: str, decimal: str) -> int:
    """Count the decimals of a number as written; 0 for one in powers of ten."""
    part = text.partition(decimal)[2]
    return len(part) if part.isdecimal() else 0
