"""Who is told, as it leaves the service."""

from __future__ import annotations

from typing import Literal

from wattmark.bench.notify import Event, Way
from wattmark.core.instants import iso
from wattmark.core.schema import Schema
from wattmark.notices.channel import target_of
from wattmark.notices.notifier import Notifier


class NotifierOut(Schema):
    """An entry of the bench that tells somebody what happened."""

    name: str
    by: Way
    target: str
    """Where to, without what may be secret."""
    events: list[Event]
    state: Literal["on", "failing"]
    """failing: its latest message was not taken, and ``problem`` says why."""
    waiting: int
    """Messages that are not sent yet."""
    sent: int
    not_sent: int
    """Given up after several attempts, too old, or beyond the numbers that wait and that are sent in an hour."""
    last: str | None = None
    """When the latest message was taken."""
    problem: str | None = None
    remedy: str | None = None
    since: str | None = None


class NotifiersOut(Schema):
    """All entries of the bench that tell somebody."""

    notifiers: list[NotifierOut]


class ToldOut(Schema):
    """What took a message of a test."""

    answer: str


def notifier_out(notifier: Notifier) -> NotifierOut:
    """Describe an entry and what became of its messages."""
    entry, tally = notifier.entry, notifier.tally
    return NotifierOut(
        name=entry.id,
        by=entry.by,
        target=target_of(entry),
        events=list(entry.events),
        state="on" if notifier.works else "failing",
        waiting=notifier.waiting,
        sent=tally.sent,
        not_sent=tally.not_sent,
        last=None if tally.sent_ns is None else iso(tally.sent_ns),
        problem=tally.problem,
        remedy=tally.remedy or None,
        since=None if tally.since_ns is None else iso(tally.since_ns),
    )
