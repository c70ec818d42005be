"""Instants as results format them."""

from __future__ import annotations

from datetime import UTC, datetime


def iso(t_ns: int) -> str:
    """Format an instant [ns since 1970 UTC] as ISO 8601 in UTC with microseconds."""
    return datetime.fromtimestamp(t_ns // 1000 / 1e6, tz=UTC).isoformat(timespec="microseconds")
