"""Workloads as they leave the service: what a plan may name."""

from __future__ import annotations

from typing import Literal

from wattmark.core.schema import Schema


class LevelRuleOut(Schema):
    """What a load level of a workload counts."""

    one: str
    many: str
    full: int
    """The level that "all" stands for on the appliance itself."""
    sweep: list[int]
    """Levels that "sweep" stands for; empty: the workload declares none, so a plan cannot ask for it."""
    asks_per_s: float | None
    """Work per second that one unit of the level asks for; None: the level is no rate, so it cannot be graduated."""


class WorkloadOut(Schema):
    """A workload that a plan can use."""

    id: str
    title: str
    unit: str
    limited_by: str
    level: LevelRuleOut | None
    """None: the workload has one level only, and a plan asks for "all"."""
    origin: Literal["catalogue", "bench"]
    external: bool
    """Somebody else starts the load and marks it."""
    missing: str | None
    """What is missing on the appliance, and the package that brings it; servers behind SSH need it themselves."""
    missing_parameters: list[str]
    """Values that the bench must give first."""
    stands_for: list[str]
    source: str


class PublishedOnlyOut(Schema):
    """A workload of a published article that cannot be rerun."""

    id: str
    title: str
    reason: str


class WorkloadsOut(Schema):
    """All workloads, runnable and published only."""

    workloads: list[WorkloadOut]
    published_only: list[PublishedOnlyOut]
