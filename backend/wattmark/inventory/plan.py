"""A plan: what is to be measured, how often, in which order and for how long."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from wattmark.inventory.configuration import Count
from wattmark.workloads.part import Identifier, Part, Word


def _level(value: Any) -> Any:
    if value == "all" or (type(value) is int and 1 <= value <= 1_000_000):
        return value
    raise ValueError("a whole number from 1, or all (one per CPU)")


Level = Annotated[int | Literal["all"], BeforeValidator(_level)]
Duration = Annotated[float, Field(ge=0, le=86_400)]


class Plan(Part):
    """Configurations x workloads x levels x repeats. Durations in seconds."""

    name: Identifier
    title: str = ""
    configurations: tuple[Word, ...] = Field(min_length=1)
    """As "server/configuration"."""
    workloads: tuple[Word, ...] = Field(min_length=1)
    levels: tuple[Level, ...] = Field(default=("all",), min_length=1)
    """Load levels; "all" is the level that the workload declares for full load."""
    repeats: Count = 3
    order: Literal["as-listed", "random", "blocked"] = "as-listed"
    """Random: configurations in random order, and the runs of each in random order. Blocked: every repeat visits each
    configuration once, in an order of its own, so that a slow drift does not fall on one configuration alone."""
    seed: Annotated[int, Field(strict=True, ge=0)] = 1
    idle_s: Duration = 30.0
    settle_s: Duration = 30.0
    measure_s: Annotated[float, Field(ge=1, le=86_400)] = 240.0
    hold_s: Duration = 3.0
    """How long the load goes on after the window."""
    cool_down_s: Duration = 0.0
    full_load_limit_pct: Annotated[float, Field(ge=0, le=100)] | None = 95.0
    """CPU utilisation that the window must reach [%]; None for work that is not bound by the CPU."""
