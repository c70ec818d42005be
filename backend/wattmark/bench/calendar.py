"""When a plan is due: calendar events as systemd.time(7) has them, evaluated by the library oncalendar."""

from __future__ import annotations

import os
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from wattmark.core.extras import require

LOCAL_ZONE = Path("/etc/localtime")


def calendar_problem(calendar: str) -> str | None:
    """Explain what is wrong with a calendar event; None where nothing is.

    Raises `InputError` where the extra "schedule" is missing.
    """
    library = require("schedule", "oncalendar", "The calendar of a plan needs")
    try:
        iterator = library.TzIterator(calendar, datetime(2000, 1, 1, tzinfo=UTC))
        next(iterator)
    except library.OnCalendarError as error:
        return str(error).lower()
    except (StopIteration, OverflowError):
        return "it names no time"
    return None


def next_event(calendar: str, after_ns: int, zone: tzinfo) -> int | None:
    """Compute the first instant of a calendar event after another instant [UTC ns]; None: there is no further one.

    Times without a zone of their own are those of ``zone``. A time that the change to summer time skips is omitted; of
    an hour that the change back repeats only the first counts.
    """
    library = require("schedule", "oncalendar", "The calendar of a plan needs")
    after = datetime.fromtimestamp(after_ns // 10**9, zone)
    for instant in library.TzIterator(calendar, after):
        event_ns: int = round(instant.timestamp()) * 10**9
        # Within the repeated hour the library starts from its wall time, and may name an instant that has passed.
        if event_ns > after_ns:
            return event_ns
    return None


def local_zone() -> tzinfo:
    """Return the time zone of this machine with its changes of summer time: TZ, else /etc/localtime, else UTC."""
    try:
        if name := os.environ.get("TZ", "").lstrip(":"):
            return ZoneInfo(name)
        with LOCAL_ZONE.open("rb") as file:
            return ZoneInfo.from_file(file, "local")
    except (OSError, ValueError, KeyError):
        return UTC
