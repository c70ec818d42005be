"""An alarm: when a channel was beyond a limit of the bench, how far, and what is known of its end.

The same alarm is kept in the store, disclosed with the runs in whose window it lasted, and told to the live view.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from wattmark.core.amounts import Count, Instant
from wattmark.core.schema import Record

Side = Literal["low", "high"]


class AlarmEnd(StrEnum):
    """What ended an alarm, or why its end is not known."""

    BACK = "back"
    """A reading was back; this alone tells an end."""
    LIMIT_CHANGED = "limit-changed"
    """The bench has another limit since, or none."""
    SERVICE_STOPPED = "service-stopped"
    SERVICE_DIED = "service-died"
    """Without a word, after ``seen_ns``; found out when the next service began."""


class Alarm(Record):
    """One alarm in its latest known state; times in UTC nanoseconds."""

    number: Count
    """In the order of their beginning, as the appliance that watched lists it."""
    source: str
    channel: str
    side: Side
    limit: float
    """As the bench file states it; like a reading it may be any finite number."""
    unit: str
    run_must_keep: bool
    """Whether a run in whose window it lies is unsound."""
    begin_ns: Instant
    """First reading beyond the limit."""
    seen_ns: Instant
    """Newest usable reading of it; where the service died, it lasted at least until then."""
    worst: float
    """The reading farthest beyond the limit."""
    end_ns: Instant | None = None
    """First reading that was back; None while it goes on, and where its end is not known."""
    ended: AlarmEnd | None = None
    """None while it goes on."""
    closed_ns: Instant | None = None
    """When `ended` was found; None while it goes on."""
    simulated: bool = False
    """Whether its instrument said of itself that it is simulated when the alarm began."""


class RunAlarms(Record):
    """Limits watched during a run, and the alarms."""

    limits: Count
    """How many limits of channels of its instruments were in force when it ended."""
    unwatched: tuple[str, ...] = ()
    """Limits whose channel gave no usable reading in the window."""
    crossed: tuple[Alarm, ...] = ()
    """Alarms that lasted into the window, oldest first."""
    excluded: Count = 0
    """Further ones, beyond what a record holds; those of limits that a run must keep come first."""
