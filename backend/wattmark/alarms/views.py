"""Crossed limits as they leave the service."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from wattmark.alarms.record import AlarmEnd, AlarmRecord
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


class AlarmOut(Schema):
    """An alarm as it is kept; instants in Unix seconds."""

    number: int
    source: str
    channel: str
    side: Literal["low", "high"]
    limit: float
    unit: str
    run_must_keep: bool
    """Whether a run in whose window it lies is unsound."""
    begin_s: float
    seen_s: float
    """Newest usable reading of it that is kept; where the service died, it lasted at least until then."""
    worst: float
    """The reading farthest beyond the limit."""
    end_s: float | None
    """First reading that was back; None while it goes on, and where its end is not known."""
    ended: AlarmEnd | None
    """None while it goes on."""
    closed_s: float | None
    """When that was found."""
    told: str
    """The end in words."""


class AlarmPage(Schema):
    """A part of the alarms, newest first. `more`: there are older ones."""

    alarms: list[AlarmOut]
    more: bool


def limit_alarm(alarm: AlarmRecord) -> LimitAlarm:
    """Describe an alarm for the live view."""
    return LimitAlarm(
        source=alarm.source,
        channel=alarm.channel,
        side=alarm.side,
        limit=alarm.limit,
        unit=alarm.unit,
        begin_s=alarm.begin_ns / 1e9,
        end_s=_seconds(alarm.end_ns),
        worst=alarm.worst,
    )


def alarm_out(alarm: AlarmRecord) -> AlarmOut:
    """Describe an alarm that is kept."""
    return AlarmOut(
        **limit_alarm(alarm).model_dump(),
        number=alarm.number,
        run_must_keep=alarm.run_must_keep,
        seen_s=alarm.seen_ns / 1e9,
        ended=alarm.ended,
        closed_s=_seconds(alarm.closed_ns),
        told=ending(alarm),
    )


def alarm_page(found: Sequence[AlarmRecord], limit: int) -> AlarmPage:
    """Cut a page from what was found, of which one more than the page holds was asked for."""
    return AlarmPage(alarms=[alarm_out(one) for one in found[:limit]], more=len(found) > limit)


def ending(alarm: AlarmRecord) -> str:
    """Say how an alarm ended, or why that is not known; instants in UTC."""
    match alarm.ended:
        case None:
            return "goes on"
        case AlarmEnd.BACK:
            return f"ended {_clock(alarm.end_ns)}"
        case AlarmEnd.LIMIT_CHANGED:
            return f"end not known: the limit was changed {_clock(alarm.closed_ns)}"
        case AlarmEnd.SERVICE_STOPPED:
            return f"end not known: the service stopped {_clock(alarm.closed_ns)}"
        case AlarmEnd.SERVICE_DIED:
            return f"end not known: the service died after {_clock(alarm.seen_ns)}"


def _seconds(t_ns: int | None) -> float | None:
    return None if t_ns is None else t_ns / 1e9


def _clock(t_ns: int | None) -> str:
    return "" if t_ns is None else datetime.fromtimestamp(t_ns // 10**9, UTC).strftime("%Y-%m-%d %H:%M:%S")
