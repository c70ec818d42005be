"""Views of the state of sending, for the API and the commands."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from wattmark.core.instants import iso
from wattmark.store.outbox.outbox_types import OutboxState, RefusedLine


class SinkOut(BaseModel):
    """State of sending to another server."""

    state: Literal["up to date", "sending", "waiting"]
    """waiting: something keeps it from sending; ``problem`` says what."""
    target: str
    """Address and database; no secrets."""
    waiting_samples: int = 0
    waiting_runs: int = 0
    """Runs whose record, or whose result, is newer than what was sent."""
    acknowledged_samples: int = 0
    acknowledged: str | None = None
    """When the server last acknowledged anything."""
    refused_points: int = 0
    refused: list[RefusedLine] = []
    """The latest of them."""
    problem: str | None = None
    remedy: str | None = None
    since: str | None = None


class SinksOut(BaseModel):
    """State of sending to each server that the settings name; empty where nothing is sent."""

    sinks: list[SinkOut]


def sink_out(state: OutboxState, refused: list[RefusedLine] | None = None) -> SinkOut:
    """Show the state of an outbox."""
    return SinkOut(
        state=_word(state),
        target=state.target,
        waiting_samples=state.waiting,
        waiting_runs=state.waiting_runs,
        acknowledged_samples=state.acknowledged,
        acknowledged=_instant(state.acknowledged_ns),
        refused_points=state.refused,
        refused=refused or [],
        problem=state.problem,
        remedy=state.remedy,
        since=_instant(state.problem_ns),
    )


def _word(state: OutboxState) -> Literal["up to date", "sending", "waiting"]:
    if state.problem is not None:
        return "waiting"
    return "sending" if state.waiting or state.waiting_runs else "up to date"


def _instant(t_ns: int | None) -> str | None:
    return None if t_ns is None else iso(t_ns)
