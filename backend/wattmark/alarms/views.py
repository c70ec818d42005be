"""Alarms as they leave the service: instants in Unix seconds, the end also in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from pydantic import Field

from wattmark.core.amounts import Instant
from wattmark.core.schema import Schema
from wattmark.runs.alarms import Alarm, AlarmEnd


class AlarmOut(Alarm):
    """An alarm with its instants in Unix seconds instead."""

    begin_ns: Instant = Field(exclude=True)
    seen_ns: Instant = Field(exclude=True)
    end_ns: Instant | None = Field(exclude=True)
    closed_ns: Instant | None = Field(exclude=True)
    ended: AlarmEnd | None
    """None while it goes on."""
    begin_s: float
    """First reading beyond the limit."""
    seen_s: float
    """Newest usable reading of it that is kept; where the service died, it lasted at least until then."""
    end_s: float | None
    """First reading that was back; None while it goes on, and where its end is not known."""
    closed_s: float | None
    """When `ended` was found; None while it goes on."""
    ending: str
    """The end in words."""


class AlarmPage(Schema):
    """A part of the alarms, newest first. `more`: there are older ones."""

    alarms: list[AlarmOut]
    more: bool


def alarm_out(alarm: Alarm) -> AlarmOut:
    """Show an alarm with its instants in seconds."""
    return AlarmOut(
        **dict(alarm),
        begin_s=alarm.begin_ns / 1e9,
        seen_s=alarm.seen_ns / 1e9,
        end_s=None if alarm.end_ns is None else alarm.end_ns / 1e9,
        closed_s=None if alarm.closed_ns is None else alarm.closed_ns / 1e9,
        ending=ending(alarm),
    )


def alarm_page(alarms: Sequence[Alarm], limit: int) -> AlarmPage:
    """Cut a page from what was found, of which one more than the page holds was asked for."""
    return AlarmPage(alarms=[alarm_out(alarm) for alarm in alarms[:limit]], more=len(alarms) > limit)


def ending(alarm: Alarm) -> str:
    """Explain how an alarm ended, or why that is not known; instants in UTC."""
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
            return f"end not known: the service crashed after {_clock(alarm.seen_ns)}"


def _clock(t_ns: int | None) -> str:
    return "" if t_ns is None else datetime.fromtimestamp(t_ns // 10**9, UTC).strftime("%Y-%m-%d %H:%M:%S")
