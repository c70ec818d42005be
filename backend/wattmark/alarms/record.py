"""An alarm as it is kept: when a channel was beyond a limit, how far, and what is known of its end."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wattmark.alarms.watch import Side


class AlarmEnd(StrEnum):
    """What ended an alarm, or what ended the knowledge of it."""

    BACK = "back"
    """A reading was back; this alone tells an end."""
    LIMIT_CHANGED = "limit-changed"
    """The bench has another limit since, or none."""
    SERVICE_STOPPED = "service-stopped"
    SERVICE_DIED = "service-died"
    """Without a word, after ``seen_ns``; found out when the next service began."""


@dataclass(frozen=True, slots=True)
class AlarmRecord:
    """One alarm, in the order of ``number``; instants in UTC nanoseconds."""

    number: int
    source: str
    channel: str
    side: Side
    limit: float
    unit: str
    run_must_keep: bool
    begin_ns: int
    """First reading beyond the limit."""
    seen_ns: int
    """Newest usable reading of it that is kept."""
    worst: float
    """The reading farthest beyond the limit."""
    end_ns: int | None = None
    """First reading that was back; None while it goes on, and where its end is not known."""
    ended: AlarmEnd | None = None
    """None while it goes on."""
    closed_ns: int | None = None
    """When `ended` was found; None while it goes on."""
