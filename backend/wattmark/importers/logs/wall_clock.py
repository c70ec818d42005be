"""Dates and times of day as logs write them, as if UTC [ns]."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

SECOND_NS = 10**9
DAY_NS = 86400 * SECOND_NS
_YEARS = range(1970, 2116)
_CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.([0-9]{1,9}))?(?: ([AP])M)?", re.ASCII)


@lru_cache(maxsize=4096)
def day_ns(year: int, month: int, day: int) -> int:
    """Return midnight of a date. Raises ValueError where there is no such date."""
    if year not in _YEARS:
        raise ValueError(f"the year {year} is not from 1970 to 2115")
    return int(datetime(year, month, day, tzinfo=UTC).timestamp()) * SECOND_NS


def clock_ns(text: str) -> int:
    """Read "H:MM:SS", with decimals and with AM or PM, as the time since midnight. Raises ValueError."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise ValueError(f"{text[:40]!r} is not a time of day")
    hour, minute, second = (int(part) for part in match.groups()[:3])
    if match[5]:
        if not 1 <= hour <= 12:
            raise ValueError(f"{text[:40]!r} is not a time of day")
        hour = hour % 12 + (12 if match[5] == "P" else 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(f"{text[:40]!r} is not a time of day")
    return ((hour * 60 + minute) * 60 + second) * SECOND_NS + int((match[4] or "0").ljust(9, "0"))


def as_if_utc_ns(wall: datetime) -> int:
    """Return a wall clock that a person said, as if UTC. Raises ValueError."""
    whole = day_ns(wall.year, wall.month, wall.day)
    return whole + ((wall.hour * 60 + wall.minute) * 60 + wall.second) * SECOND_NS + wall.microsecond * 1000


class RunningDay:
    """Times of day in the order of a log: one that is far before the last one belongs to the next day."""

    def __init__(self, first_day_ns: int) -> None:
        self._day_ns = first_day_ns
        self._latest_ns = -1

    def at(self, clock: int) -> int:
        """Return the instant of a time of day."""
        if clock < self._latest_ns - DAY_NS // 2:
            self._day_ns += DAY_NS
        self._latest_ns = clock
        return self._day_ns + clock
