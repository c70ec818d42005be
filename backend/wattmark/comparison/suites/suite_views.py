"""Suites and the report of one server, ready for tables and pages."""

from __future__ import annotations

from typing import Literal

from wattmark.comparison.scaling.scaling_views import LoadLevelsOut, LoadMethod, LoadSpread
from wattmark.core.interval import Interval
from wattmark.core.schema import Schema

Outcome = Literal["pass", "fail", "not-checked"]


class SuiteRanOut(Schema):
    """A configuration that ran a part of a suite, or all of it."""

    key: str
    title: str
    levels: int
    """Levels with work per joule, of ``wanted``."""
    wanted: int
    score: Interval | None = None
    """None: a part is missing."""
    unit: str = "1/kW"
    simulated: bool = False


class SuiteOut(Schema):
    """A suite as declared, and who ran it."""

    id: str
    title: str
    purpose: str
    formula: str
    source: str
    weights: dict[str, float]
    percent: list[float]
    workloads: list[str]
    measure_s: float
    idle_s: float
    expected_s: float
    """How long it takes on one configuration [s]."""
    ran: list[SuiteRanOut] = []


class SuiteLevelOut(Schema):
    """One level of a worklet: asked for, done, and at what power."""

    worklet: str
    kind: str
    target_pct: float
    asked: float | None
    """Rate that was asked for [unit/s]; None: not known."""
    throughput: Interval
    throughput_unit: str
    off_pct: float | None
    """How far the work done is from the work asked for [%]."""
    held: bool | None
    """Whether that is within the limit; None: not known."""
    power_w: Interval
    ops_per_joule: Interval
    n: int
    simulated: bool = False
    traceable: bool = True
    sources_disagree: bool = False
    scatter_only: bool = False
    included: bool = False
    remark: str | None = None


class SuiteWorkletOut(Schema):
    """A worklet over its levels."""

    workload: str
    title: str
    kind: str
    unit: str
    nominal: float
    """Work per second that counts as 1 [unit/s]."""
    score: Interval | None
    """Geometric mean over the levels of (throughput / nominal) per kilowatt [1/kW]; None: a level is missing."""
    curve: LoadLevelsOut | None
    """None: no level has both throughput and power."""
    missing: list[str] = []
    """Levels without work per joule."""


class SuiteKindOut(Schema):
    """A kind of worklets with its weight."""

    kind: str
    weight: float
    score: Interval | None
    """Geometric mean of its worklets [1/kW]; None: one is missing."""


class IdleCheckOut(Schema):
    """An interval of active idle held against the rules of idle power."""

    run_id: str
    outcome: Outcome
    text: str


class SuiteIdleOut(Schema):
    """Active idle of a configuration: its power in the idle state."""

    power_w: Interval
    n: int
    checks: list[IdleCheckOut]
    note: str


class PublishedBesideOut(Schema):
    """Published results over load levels, to be shown beside: their work is another, their shape compares."""

    workload: str
    n: int
    energy_proportionality: list[float]
    """Lower quartile, median and upper quartile."""
    idle_to_peak: list[float]
    spread: list[LoadSpread]


class SuiteReportOut(Schema):
    """Everything that a suite says of one configuration."""

    suite: SuiteOut
    key: str
    title: str
    server: str
    configuration: str
    kind: Literal["measured", "simulated", "imported", "published"] = "measured"
    memory_gib: float | None
    score: Interval | None
    """The weighted mean [1/kW]; None: the remarks say what is missing."""
    unit: str = "1/kW"
    kinds: list[SuiteKindOut]
    worklets: list[SuiteWorkletOut]
    levels: list[SuiteLevelOut]
    idle: SuiteIdleOut | None
    published: PublishedBesideOut | None
    statement: str
    remarks: list[str]
    methods: list[LoadMethod]
    simulated: bool
    traceable: bool
