"""Instants as text: ISO 8601 in UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal


def iso(t_ns: int, timespec: Literal["seconds", "milliseconds", "microseconds"] = "seconds") -> str:
    """Format an instant [ns since 1970 UTC] as ISO 8601 in UTC; what is finer than ``timespec`` is cut off."""
    seconds, rest_ns = divmod(t_ns, 10**9)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest_ns // 1000).isoformat(timespec=timespec)
