"""Dates of published results that can be: a misprint shall not stretch a figure over the years."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from wattmark.comparison.published.published_result import PublishedSummary

FIRST = date(1988, 1, 1)
"""SPEC was founded in 1988; nobody published the work of a server per watt before."""
LATEST_SALE_DAYS = 366
"""Who publishes a result sells its hardware within months; more than a year later is a misprint of one of the dates."""
LATEST_PUBLICATION_DAYS = 5 * 366
"""Results are published weeks after their test."""


class PublishedDates(NamedTuple):
    """Dates of a result as ISO dates, None where there is none that can be, and what is wrong with the others."""

    available_on: str | None
    published_on: str | None
    doubts: list[str]


def possible_dates(result: PublishedSummary) -> PublishedDates:
    """Choose the dates of a result that contradict neither one another nor the history of such results."""
    tested = _day(result.tested_on)
    published, wrong_publication = _judged("publication", result.published_on, tested, tested, LATEST_PUBLICATION_DAYS)
    available, wrong_availability = _judged(
        "availability", result.available_on, None, published or tested, LATEST_SALE_DAYS
    )
    doubts = [text for text in (wrong_availability, wrong_publication) if text]
    return PublishedDates(
        available.isoformat() if available else None, published.isoformat() if published else None, doubts
    )


def _judged(
    what: str, text: str | None, earliest: date | None, other: date | None, most_days: int
) -> tuple[date | None, str | None]:
    """Read a date; None with the reason where it cannot be: before ``earliest``, or too long after another one."""
    day = _day(text)
    if day is None:
        return None, None
    if day < FIRST:
        why = f"is before {FIRST.year}, when nobody published such results"
    elif earliest is not None and day < earliest:
        why = f"is before the test of {earliest}"
    elif other is not None and (day - other).days > most_days:
        why = f"is long after {other}, when the result was {'tested' if other == earliest else 'published or tested'}"
    else:
        return day, None
    return None, f"Its date of {what}, {day}, {why}: it is not used."


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        return None
