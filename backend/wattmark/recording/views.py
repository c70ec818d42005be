"""Live values as they leave the service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wattmark.core.schema import Schema


class LiveChannel(Schema):
    """One channel of one source with its latest value and recent history."""

    source: str
    channel: str
    label: str
    quantity: str
    unit: str
    kind: str
    role: Literal["wall", "secondary", "bmc", "host"]
    server: str | None
    shared: list[str] = []
    """Servers that its meter measures together; empty where it measures one or none."""
    total: bool = False
    """Whether it holds the whole of its source's power, or energy: what counts wherever its source is added up."""
    simulated: bool
    period_s: float
    range: str | None = None
    state: Literal["ok", "frozen", "stale", "lost", "waiting"]
    problem: str | None = None
    t_s: list[float]
    value: list[float | None]
    """None marks a bad reading or a gap."""


@dataclass(slots=True)
class LiveSamples:
    """New samples of one channel; not a model, because a large bench sends thousands per second."""

    source: str
    channel: str
    t_s: list[float]
    value: list[float | None]
    state: Literal["ok", "frozen", "stale", "lost", "waiting"]
    problem: str | None = None


class Columns(Schema):
    """Columns of equal width [s]; one without a usable reading is excluded."""

    width_s: float
    t_s: list[float]
    """Middle of each column [Unix s]."""
    minimum: list[float]
    maximum: list[float]
    mean: list[float]


class LiveColumns(Columns):
    """The past of one channel."""

    channel: str
