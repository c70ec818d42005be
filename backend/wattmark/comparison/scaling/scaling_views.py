"""The levels of one configuration, ready for tables and pages."""

from __future__ import annotations

from wattmark.core.interval import Interval95
from wattmark.core.schema import Schema


class ScalingLevel(Schema):
    """Repeats at one level; speed-up and parallel efficiency are against the lowest level."""

    count: int
    level: str
    n: int
    throughput: Interval95 | None
    power_w: Interval95 | None
    efficiency: Interval95 | None
    speed_up: float | None
    speed_up_low: float | None
    speed_up_high: float | None
    parallel_efficiency: float | None
    response_s: float | None = None
    """Mean response time over the repeats [s]; None: the workload reports none."""
    in_flight: float | None = None
    """Throughput x response time: requests in flight by Little's law."""
    possible: bool | None = None
    """False: more requests in flight than there are clients, so the figures do not belong together."""
    simulated: bool = False
    traceable: bool = True
    refusal: str | None
    remarks: list[str] = []
    """Overrides among them: who accepted what, and why."""


class ScalingOut(Schema):
    """One configuration over its load levels, with conclusions in words."""

    key: str
    title: str
    workload: str
    throughput_unit: str
    efficiency_unit: str
    levels: list[ScalingLevel]
    mean_from: float | None = None
    """The threshold of ``mean_throughput`` and ``mean_efficiency``; None: none was asked for."""
    mean_throughput: float | None = None
    """Average over the levels at or above the threshold, every level alike."""
    mean_efficiency: float | None = None
    mean_throughput_U95: float | None = None  # noqa: N815 - the metrologist's symbol
    mean_efficiency_U95: float | None = None  # noqa: N815
    sentences: list[str]
    simulated: bool


class ExtrapolatedRow(Schema):
    """A measured point, or what one model gives beyond; no interval where nothing is known of the scatter."""

    kind: str
    """"measured", or "extrapolated, not measured"."""
    at: float
    model: str
    value: float
    low: float | None
    high: float | None
    basis: str
    n: int | None
    included: bool = False
    """A run in it is ranked by a person's choice; the remarks say whose, and why."""


class ExtrapolatedOut(Schema):
    """Throughput beyond the measured clock, cores or load: every model, never a performance per watt."""

    axis: str
    axis_unit: str
    target: float
    equal: str
    unit: str
    rows: list[ExtrapolatedRow]
    spread: tuple[float, float]
    envelope: tuple[float, float] | None
    warning: str
    simulated: bool
    remarks: list[str]


class LoadLevelRow(Schema):
    """One load level of a power curve; load 0 is active idle."""

    load_pct: float
    level: str
    throughput: float
    throughput_unit: str
    power_w: float
    throughput_U95: float | None = None  # noqa: N815 - the metrologist's symbol
    power_U95_w: float | None = None  # noqa: N815
    ops_per_joule: float | None = None
    ops_per_joule_U95: float | None = None  # noqa: N815
    relative_power: float = 1.0
    """Watts by those at full load."""
    relative_power_U95: float | None = None  # noqa: N815
    n: int | None = None
    simulated: bool = False
    traceable: bool = True
    sources_disagree: bool = False
    """Another source of power in a run of it contradicts the reference meter; the remark says which."""
    scatter_only: bool = False
    remark: str | None = None
    """Why there is no ±, or what is not in it; None where nothing is missing."""
    included: bool = False
    """A run in it is ranked by a person's choice; the remarks say whose, and why."""


class LoadLevelsOut(Schema):
    """How power follows load in one configuration, with the figures of SPECpower and of energy proportionality.

    ``*_U95`` are expanded uncertainties at 95 %, with what is common to all levels (the meter's gain) counted once;
    None where there is none, for the reason in ``remarks``.
    """

    key: str
    workload: str
    rows: list[LoadLevelRow]
    overall: float | None
    overall_U95: float | None = None  # noqa: N815 - the metrologist's symbol
    efficiency_unit: str
    energy_proportionality: float | None
    energy_proportionality_U95: float | None = None  # noqa: N815
    idle_to_peak: float | None
    idle_to_peak_U95: float | None = None  # noqa: N815
    """Also that of ``dynamic_range``, which is what is left to 1."""
    dynamic_range: float | None
    linear_deviation: float | None
    linear_deviation_U95: float | None = None  # noqa: N815
    statement: str
    simulated: bool
    remarks: list[str]
