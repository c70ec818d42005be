"""When a plan is due: calendar events as systemd.time(7) has them, evaluated by the library oncalendar."""

from __future__ import annotations

import logging
import os
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from wattmark.core.extras import require

log = logging.getLogger(__name__)
LOCAL_ZONE = Path("/etc/localtime")


def calendar_problem(calendar: str) -> str | None:
    """Explain what is wrong with a calendar event; None where nothing is.

    Raises `InputError` where the extra "schedule" is missing.
    """
    library = require("schedule", "oncalendar", "The calendar of a plan needs")
    *others, last = calendar.split()
    no_zone = f"there is no time zone {last}"
    try:
        iterator = library.TzIterator(calendar, datetime(2000, 1, 1, tzinfo=UTC))
        next(iterator)
    except library.OnCalendarError as error:
        meant_as_zone = ":" not in last and ("/" in last or any(":" in other for other in others))
        return no_zone if meant_as_zone and not _is_zone(last) else str(error).lower()
    except OSError:
        # A part of the names of zones, such as "Europe", is a folder.
        return no_zone
    except (StopIteration, OverflowError):
        return "it names no time"
    return None


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        return False
    return True


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
    name = os.environ.get("TZ", "").lstrip(":")
    file = Path(name or LOCAL_ZONE)
    try:
        if not file.is_absolute():
            return ZoneInfo(name)
        with file.open("rb") as content:
            return ZoneInfo.from_file(content, "local")
    except (OSError, ValueError, KeyError):
        if name:
            log.warning("TZ=%s is no time zone; calendars are in UTC. Set a name such as Europe/Berlin.", name)
        return UTC
