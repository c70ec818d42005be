"""What a plan is expected to show, as it leaves the service."""

from __future__ import annotations

from typing import Literal

from wattmark.core.schema import Schema

Basis = Literal["earlier runs", "stated", "assumed"]


class ForecastRepeats(Schema):
    """What a number of repeats shows of performance per watt."""

    repeats: int
    u95_pct: float | None
    """± of one configuration [%]; None: not known."""
    difference_pct: float | None
    """Difference between two configurations of the server that is found with a probability of 80 % [%]; None: none."""


class ForecastRow(Schema):
    """One server under one workload."""

    server: str
    workload: str
    meters: list[str]
    power_w: float
    power_basis: Basis
    scatter_pct: float
    """Standard deviation of performance per watt from run to run, for windows as planned [%]."""
    scatter_basis: Basis
    repeats: list[ForecastRepeats]
    """The number of the plan first, then more."""
    least_pct: float | None
    """Difference that no number of repeats goes below, because of the meter [%]."""
    summary: str
    basis: list[str]
    """Where power and scatter come from."""
    limits: list[str]
    """What the runs cannot show."""


class Forecast(Schema):
    """What a plan is expected to show, and how long it takes."""

    plan: str
    expected_s: float
    at_most_s: float
    rows: list[ForecastRow]
    between_servers: list[str]
    """What is found between the servers of the plan, in words; empty where it has one."""
