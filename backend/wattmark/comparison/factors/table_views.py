"""Delta tables, normalised tables, extrapolations and power curves as they leave the service."""

from __future__ import annotations

from wattmark.core.interval import Interval
from wattmark.core.schema import Schema


class ComparedRow(Schema):
    """What a figure made of several runs discloses about them."""

    simulated: bool
    traceable: bool
    sources_disagree: bool = False
    """Another source of power in a run of it contradicts the reference meter; the remark says which."""
    scatter_only: bool = False
    """The interval holds scatter only: nothing is known about the meter, whose error is taken to cancel."""
    remark: str | None = None
    """Why there is no ±, or what is not in it; None where nothing is missing."""
    included: bool = False
    """A run in it is ranked by a person's choice; the remarks say whose, and why."""


class DeltaRow(ComparedRow):
    """One pair of figures at equal other factors."""

    others: str | None
    workload: str | None
    level: str | None
    new_key: str
    old_key: str
    new: Interval
    old: Interval
    unit: str
    n_new: int
    n_old: int
    factor: float
    delta_pct: Interval
    shown: str


class DeltasOut(Schema):
    """All pairs of one factor; the delta of the means is None where figures of several workloads would be averaged."""

    figure: str
    factor: str
    new: str
    old: str
    equal: str
    """What is the same in all rows."""
    rows: list[DeltaRow]
    mean_of_deltas_pct: Interval
    delta_of_means_pct: Interval | None
    geometric_mean_pct: Interval
    """In the three, what one meter does to all rows counts once."""
    statement: str
    simulated: bool
    remarks: list[str]


class NormalisedRow(ComparedRow):
    """A figure as a multiple of the baseline's under the same workload and level; the baseline has no interval."""

    key: str
    workload: str
    level: str
    n: int
    value: Interval
    unit: str
    factor: Interval


class NormalisedOut(Schema):
    """Figures in multiples of one configuration's: factor 1 = baseline."""

    figure: str
    baseline: str
    rows: list[NormalisedRow]
    means: dict[str, Interval]
    """Geometric mean of a configuration's factors over everything it and the baseline ran."""
    statement: str
    simulated: bool
    remarks: list[str]


class GeometricRow(ComparedRow):
    """One configuration under one workload, or over several of them (then without an efficiency of its own)."""

    key: str
    workload: str
    subsystem: str | None
    levels: int
    efficiency: Interval | None
    """Geometric mean over the levels [unit]."""
    unit: str
    score: Interval
    """Performance against the reference's highest throughput, per kilowatt [1/kW]."""
    factor: Interval
    """Multiple of the reference's."""


class GeometricOut(Schema):
    """Performance per watt over levels and workloads as geometric means, beside a reference."""

    reference: str
    from_level: float | None
    rows: list[GeometricRow]
    statement: str
    simulated: bool
    remarks: list[str]
