"""Crossed limits as they leave the service."""

from __future__ import annotations

from typing import Literal

from wattmark.schema import Schema


class LimitAlarm(Schema):
    """A channel that is, or was, beyond a limit of the bench."""

    source: str
    channel: str
    side: Literal["low", "high"]
    limit: float
    unit: str
    begin_s: float
    """First reading beyond the limit [Unix s]."""
    end_s: float | None
    """First reading that was back [Unix s]; None while it goes on."""
    worst: float
    """The reading farthest beyond it."""
