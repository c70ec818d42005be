"""The queue of plans as it is stored, and as the service shows it."""

from __future__ import annotations

from typing import Literal

from wattmark.core.schema import Record, Schema

Outcome = Literal["started", "complete", "failed", "aborted", "interrupted", "refused", "skipped"]
"""Refused: nothing was measured, for the reason given. Skipped: its time passed. Interrupted: wattmark ended while it
ran."""


class WaitingPlan(Record):
    """A plan that waits for its turn."""

    entry: str
    """Identifies it in the queue."""
    plan: str
    due_s: float
    """When its calendar or a person put it into the queue [Unix seconds]."""
    by: str | None
    """The person; None: the calendar of the plan."""


class TakenPlan(Record):
    """What became of a plan that waited."""

    plan: str
    due_s: float
    by: str | None
    at_s: float
    """When it was started, refused or skipped [Unix seconds]."""
    outcome: Outcome
    campaign_id: str | None = None
    message: str | None = None


class Considered(Record):
    """The instant up to which a calendar has been followed [UTC ns]."""

    calendar: str
    until_ns: int


class StoredQueue(Record):
    """The queue, and the latest of what became of its plans, newest first."""

    waiting: tuple[WaitingPlan, ...] = ()
    taken: tuple[TakenPlan, ...] = ()
    considered: dict[str, Considered] = {}
    """By the name of the plan."""


class ScheduledPlan(Schema):
    """A plan with a calendar, and when it is due next."""

    plan: str
    calendar: str
    missed: Literal["run", "skip"]
    next_s: float | None
    """Unix seconds; None: no further time."""


class QueueOut(Schema):
    """The plans that wait, in the order in which they will be started, and those that their calendars will add."""

    waiting: list[WaitingPlan]
    held: str | None
    """Why the first one is not started now, or why the queue rests; None: nothing waits."""
    scheduled: list[ScheduledPlan]
    """The next one first."""
    taken: list[TakenPlan]
    """What became of the latest ones, newest first."""
