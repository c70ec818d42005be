"""Outputs as they leave the service."""

from __future__ import annotations

from typing import Literal

from wattmark.core.instants import iso
from wattmark.core.schema import Schema
from wattmark.live_out.output import Tally

OutputName = Literal["prometheus", "mqtt", "otel"]


class OutputOut(Schema):
    """One output of live readings."""

    name: OutputName
    state: Literal["off", "on", "waiting"]
    """off: the bench does not ask for it; waiting: something keeps it from sending, and ``problem`` says what."""
    target: str | None = None
    """Address without secrets; None while it is off."""
    sent: int | None = None
    """Readings that the other machine acknowledged since the service started; None where it fetches them itself."""
    not_sent: int | None = None
    last: str | None = None
    """When the latest reading was acknowledged or fetched."""
    problem: str | None = None
    remedy: str | None = None
    since: str | None = None


class OutputsOut(Schema):
    """All outputs, those that are off too."""

    outputs: list[OutputOut]


class AnsweredOut(Schema):
    """What answered to a test."""

    answer: str


def sending_out(name: OutputName, target: str | None, tally: Tally) -> OutputOut:
    """Show an output that sends; ``target`` is None while it is off."""
    if target is None:
        return OutputOut(name=name, state="off")
    return OutputOut(
        name=name,
        state="on" if tally.problem is None else "waiting",
        target=target,
        sent=tally.sent,
        not_sent=tally.not_sent,
        last=_instant(tally.sent_ns),
        problem=tally.problem,
        remedy=tally.remedy or None,
        since=_instant(tally.since_ns),
    )


def fetched_out(*, on: bool, read_ns: int | None) -> OutputOut:
    """Show the output that Prometheus fetches."""
    if not on:
        return OutputOut(name="prometheus", state="off")
    return OutputOut(name="prometheus", state="on", target="/metrics", last=_instant(read_ns))


def _instant(t_ns: int | None) -> str | None:
    return None if t_ns is None else iso(t_ns)
