"""What a person says about a source, as texts of a command line or a form."""

from __future__ import annotations

from datetime import datetime

from wattmark.core.errors import InputError
from wattmark.exchange.importers.importer import Choices, Precision
from wattmark.exchange.importers.zones import read_zone


def read_choices(
    zone: str | None = None, power: str | None = None, precision: Precision | None = None, begin: str | None = None
) -> Choices:
    """Read what a person said. Raises `InputError` for what cannot be."""
    return Choices(zone=read_zone(zone), power=power or None, precision=precision, begin=read_begin(begin))


def read_begin(text: str | None) -> datetime | None:
    """Read a date, with or without a time of day; None stays None. Raises `InputError` for what is none."""
    if text is None:
        return None
    remedy = "Write a date such as 2025-12-31, or a date with a time such as 2025-12-31T14:30:00, without a zone."
    try:
        begin = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text[:40]!r} is no date.", remedy) from None
    if begin.tzinfo is not None:
        raise InputError(f"{text[:40]!r} has a time zone of its own.", remedy)
    if not 1970 <= begin.year < 2116:
        raise InputError(f"{text[:40]!r} is not in the years 1970 to 2115.", remedy)
    return begin
