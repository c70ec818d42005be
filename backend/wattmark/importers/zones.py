"""Time zones that a person names for stamps without one."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from wattmark.core.errors import InputError

_OFFSET = re.compile(r"([+-])([01][0-9]):([0-5][0-9])")
_EXAMPLES = "Name one such as UTC, Europe/Berlin or +02:00."


def read_zone(text: str | None) -> tzinfo | None:
    """Read a time zone by name or as an offset; None stays None. Raises `InputError` for what is none."""
    if text is None:
        return None
    if text.upper() in ("UTC", "Z"):
        return UTC
    if match := _OFFSET.fullmatch(text):
        offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
        return timezone(offset if match[1] == "+" else -offset)
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(f"There is no time zone {text[:40]!r}.", _EXAMPLES) from None


def require_zone(zone: tzinfo | None, what: str) -> tzinfo:
    """Return the stated zone. Raises `InputError` where there is none: it is never guessed."""
    if zone is None:
        raise InputError(f"The stamps of {what} name no time zone.", f"Say it with --zone. {_EXAMPLES}")
    return zone
