"""Delta tables, normalised tables, extrapolations and power curves as they leave the service."""

from __future__ import annotations

from wattmark.core.schema import Schema


class DeltaRow(Schema):
    """One pair of figures at equal other factors; ``low_pct`` to ``high_pct`` is the 95 % interval of the change."""

    others: str | None
    workload: str | None
    level: str | None
    new_key: str
    old_key: str
    new: float
    old: float
    new_U95: float | None = None  # noqa: N815 - the metrologist's symbol
    old_U95: float | None = None  # noqa: N815
    unit: str
    n_new: int
    n_old: int
    factor: float
    delta_pct: float
    low_pct: float | None
    high_pct: float | None
    shown: str
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


class DeltasOut(Schema):
    """All pairs of one factor; the delta of the means is None where figures of several workloads would be averaged."""

    figure: str
    factor: str
    new: str
    old: str
    equal: str
    """What is the same in all rows."""
    rows: list[DeltaRow]
    mean_of_deltas_pct: float
    delta_of_means_pct: float | None
    geometric_mean_pct: float
    mean_of_deltas_interval_pct: tuple[float, float] | None = None
    delta_of_means_interval_pct: tuple[float, float] | None = None
    geometric_mean_interval_pct: tuple[float, float] | None = None
    """95 % intervals of the three; what one meter does to all rows counts once."""
    statement: str
    simulated: bool
    remarks: list[str]


class NormalisedRow(Schema):
    """A figure as a multiple of the baseline's under the same workload and level; the baseline has no interval."""

    key: str
    workload: str
    level: str
    n: int
    value: float
    value_U95: float | None = None  # noqa: N815 - the metrologist's symbol
    unit: str
    factor: float
    low: float | None
    high: float | None
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


class NormalisedOut(Schema):
    """Figures in multiples of one configuration's: factor 1 = baseline."""

    figure: str
    baseline: str
    rows: list[NormalisedRow]
    means: dict[str, float]
    """Geometric mean of a configuration's factors over everything it and the baseline ran."""
    means_U95: dict[str, float | None] = {}  # noqa: N815 - the metrologist's symbol
    statement: str
    simulated: bool
    remarks: list[str]


class GeometricRow(Schema):
    """One configuration under one workload, or over several of them (then without an efficiency of its own)."""

    key: str
    workload: str
    subsystem: str | None
    levels: int
    efficiency: float | None
    """Geometric mean over the levels [unit]."""
    low: float | None
    high: float | None
    unit: str
    score: float
    """Performance against the reference's highest throughput, per kilowatt [1/kW]."""
    score_U95: float | None = None  # noqa: N815 - the metrologist's symbol
    factor: float
    """Multiple of the reference's."""
    factor_low: float | None
    factor_high: float | None
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


class GeometricOut(Schema):
    """Performance per watt over levels and workloads as geometric means, beside a reference."""

    reference: str
    from_level: float | None
    rows: list[GeometricRow]
    statement: str
    simulated: bool
    remarks: list[str]
