"""The levels of one configuration, ready for tables and pages."""

from __future__ import annotations

from typing import Literal

from wattmark.analysis.scaling.pareto import Standing
from wattmark.core.interval import Interval, Interval95, PlusMinus
from wattmark.core.schema import Schema


class ScalingLevel(Schema):
    """Repeats at one level; speed-up and parallel efficiency are against the lowest level."""

    count: int
    level: str
    n: int
    throughput: Interval95 | None
    power_w: Interval95 | None
    efficiency: Interval95 | None
    speed_up: Interval | None
    parallel_efficiency: PlusMinus | None
    response_s: float | None = None
    """Mean response time over the repeats [s]; None: the workload reports none."""
    in_flight: float | None = None
    """Throughput x response time: requests in flight by Little's law."""
    user_rate: float | None = None
    """Work per second that one user gets, by the time per token; None: the workload does not report it."""
    possible: bool | None = None
    """False: more requests in flight than there are clients, so the figures do not belong together."""
    simulated: bool = False
    traceable: bool = True
    refusal: str | None
    remarks: list[str] = []
    """Overrides among them: who accepted what, and why."""


class UserPoint(Schema):
    """A level by what one user gets and what a unit of work takes, judged against the levels of all configurations."""

    count: int
    level: str
    rate: float
    """Work per second of one user."""
    energy: Interval
    """Energy of a unit of work [J]."""
    standing: Standing
    """"beaten": another level gives a user as much for less energy, beyond the intervals; "not told": within them."""


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
    mean_throughput: PlusMinus | None = None
    """Average over the levels at or above the threshold, every level alike."""
    mean_efficiency: PlusMinus | None = None
    sentences: list[str]
    simulated: bool


class ExtrapolatedRow(Schema):
    """A measured point, or what one model gives beyond; no interval where nothing is known of the scatter."""

    kind: str
    """"measured", or "extrapolated, not measured"."""
    at: float
    model: str
    throughput: Interval
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
    throughput: Interval
    throughput_unit: str
    power_w: Interval
    ops_per_joule: Interval | None = None
    relative_power: PlusMinus
    """Watts by those at full load."""
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


class BestLoad(Schema):
    """The load with the most work per joule."""

    load_pct: float
    ops_per_joule: Interval
    alike_pct: list[float] = []
    """Other loads that no test tells from it [%]: Welch's of logarithms, adjusted by Holm over all pairs of loads."""
    untested_pct: list[float] = []
    """Other loads that could not be tested against it [%]."""


class LoadLevelsOut(Schema):
    """How power follows load in one configuration, with the figures of SPECpower and of energy proportionality.

    In the ± of the figures of all levels, what is common to them (the meter's gain) is counted once; where there is
    none, ``remarks`` has the reason.
    """

    key: str
    title: str = ""
    name: str = ""
    """Server and title, without what all that are shown together share."""
    server: str = ""
    configuration: str = ""
    kind: Literal["measured", "simulated", "imported", "published"] = "measured"
    workload: str
    rows: list[LoadLevelRow]
    overall: Interval | None
    efficiency_unit: str
    program_versions: list[str] = []
    """That of the load program; empty where it is not known."""
    energy_proportionality: PlusMinus | None
    idle_to_peak: PlusMinus | None
    dynamic_range: PlusMinus | None
    """What is left of ``idle_to_peak`` to 1."""
    linear_deviation: PlusMinus | None
    best: BestLoad | None
    knee_pct: float | None
    """Load at which work per joule bends most [%]; None: the curve has no knee, or too few levels to tell."""
    statement: str
    simulated: bool
    remarks: list[str]


class LoadMethod(Schema):
    """How a figure of a load curve is computed, and who says so."""

    name: str
    formula: str
    source: str


class LoadCurvesOut(Schema):
    """Every configuration that ran a workload at two loads or more."""

    workload: str
    curves: list[LoadLevelsOut]
    counted: bool
    """Some levels are numbers of clients, threads or processes: their load is the share of the highest throughput."""
    statement: str
    excluded: list[str]
    """Configurations without a curve, each with the reason."""
    methods: list[LoadMethod]


class PublishedCurve(Schema):
    """The figures of one published result over its load levels; without ±, as none is published."""

    key: str
    name: str
    year: int | None
    energy_proportionality: float | None
    idle_to_peak: float | None
    linear_deviation: float | None
    best_pct: float | None
    best: float | None
    """Work per joule at its best load."""
    knee_pct: float | None


class LoadSpread(Schema):
    """Watts by those at full load over all published results of a workload, at one load [1]."""

    load_pct: float
    n: int
    low: float
    lower_quartile: float
    median: float
    upper_quartile: float
    high: float


class PublishedCurvesOut(Schema):
    """What was published over load levels under one workload: all results in figures, those asked for in full."""

    workload: str | None
    """None: nothing was published over load levels."""
    workloads: list[str]
    efficiency_unit: str
    results: list[PublishedCurve]
    spread: list[LoadSpread]
    curves: list[LoadLevelsOut]
    methods: list[LoadMethod]
