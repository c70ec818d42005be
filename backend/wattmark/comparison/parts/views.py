"""Watts against the number of parts of one kind, ready for the API, the pages and the exports."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from wattmark.analysis.comparison.course import Turns
from wattmark.core.interval import Interval, Interval95
from wattmark.core.quantity import Quantity
from wattmark.core.schema import Schema


class CountedKind(Schema):
    """Parts that are alike, and what was measured with them."""

    part: str
    counts: list[int]
    runs: int


class PartPoint(Schema):
    """A run that a line is fitted through."""

    run_id: str
    configuration: str
    title: str = ""
    """Title of the configuration; empty: it has none."""
    count: int
    power: Quantity
    idle_power: Quantity | None = None
    """Mean of the run's own idle phases; None: it has none that serve."""
    efficiency: Quantity | None
    throughput: Quantity | None
    simulated: bool = False
    traceable: bool = True
    overrides: list[str] = []
    """What a person accepted for this figure, by whom and why."""
    remark: str | None = None
    """Why a figure has no ±, what is not in it, or what contradicts it."""
    sources_disagree: bool = False
    """Another source of power in the run contradicts the reference meter; the remark says which."""
    inclusion: str | None = None
    """Who chose to count this run although a rule failed, and why."""


class ExcludedPart(Schema):
    """A run excluded from the fit, with the reason and what to do."""

    run_id: str
    configuration: str
    title: str = ""
    count: int | None
    power: Quantity | None
    simulated: bool = False
    traceable: bool = True
    reason: str


class IdleParts(Schema):
    """Idle watts against the number of parts, from the idle phases of ``n`` runs."""

    n: int
    watts_per_part: Interval95 | None = None
    intercept_w: float | None = None
    line: list[tuple[float, float, float, float]] = []
    """(count, fitted W, low, high) along the fitted line."""
    statement: str
    refusal: str | None = None
    """Why there is no fit."""
    remark: str | None = None
    """Why the slope has no ±, or what is in it besides the parts."""


class ClaimOut(Schema):
    """Watts per part against a claim: refuted at 5 %, or equal within the margin."""

    claim_w: float
    margin_w: float
    p: float | None
    """None: it is not tested, because the counts were not measured in turns."""
    refuted: bool
    equivalent: bool
    text: str


class PartRate(Schema):
    """What the watts of a part give: W per TB, IOPS per W, W per GB/s."""

    quantity: str
    value: Interval | None = None
    """None: it cannot be stated, and ``remark`` says why."""
    unit: str
    remark: str | None = None
    """Why there is no figure or no ±."""


class PartsOut(Schema):
    """Watts against the number of parts of one kind for one server under one workload."""

    kind: str
    """What is counted: "drive", "DIMM"."""
    part: str
    """The parts whose runs are shown; "all": all of this kind."""
    parts: list[CountedKind]
    """The parts of this kind among all runs that count, those with most counts first."""
    server: str
    workload: str
    level: str
    points: Sequence[PartPoint]
    excluded: list[ExcludedPart] = []
    """Runs of this server, workload and level that are no points of the line."""
    throughput_unit: str = ""
    efficiency_unit: str = ""
    watts_per_part: Interval95 | None
    intercept_w: float | None
    line: list[tuple[float, float, float, float]]
    """(count, fitted W, low, high) along the fitted line."""
    theil_sen_w: float | None
    lack_of_fit_p: float | None
    statement: str
    refusal: str | None = None
    """Why there is no fit."""
    simulated: bool
    warnings: list[str] = []
    """What to know of how the parts are fitted, and what changes with the count besides them."""
    claim: ClaimOut | None = None
    """The slope against a claimed one; None: there is no slope, or nothing is claimed."""
    watts_per_part_dc: float | None = None
    """The slope behind the power supply, by its declared curve; None: no curve is declared."""
    idle: IdleParts | None = None
    """The same of the idle server; None: no run has an idle phase."""
    turns: Turns | None = None
    """How the counts follow one another in time; None: there is no slope.

    A slope over counts that were not measured in turns holds everything that changed with time; no claim is tested, and
    where time and the count changed together there is no ±."""
    remark: str | None = None
    """Why the slope has no ±, or what is in it besides the parts."""
    rates: list[PartRate] = []
    """W per TB, and work for the watts; of memory its watts at each bandwidth. Empty for what states no capacity and
    does no such work."""


class PartSlope(Schema):
    """What a part of one kind costs on one server."""

    server: str
    part: str
    counts: list[int]
    """Counts with runs that count."""
    runs: int
    simulated: bool
    watts_per_part: Interval95 | None = None
    refusal: str | None = None
    """Why there is no slope."""
    remark: str | None = None
    """Why the slope has no ±, what is in it besides the parts, or what else it leaves open."""


class PooledSlope(Schema):
    """What a part of one kind costs over several servers [W/part]: their mean."""

    part: str
    servers: list[str]
    """Servers in the mean."""
    excluded: list[str]
    """Servers with such parts whose slope has no ±."""
    simulated: bool
    watts_per_part: Interval95 | None = None
    """Mean over the servers."""
    prediction: Interval | None = None
    """The same value with the 95 % interval of another server; None with fewer than three servers."""
    between_w: float | None = None
    """Standard deviation between servers beyond what their ± explains."""
    statement: str = ""
    remarks: list[str] = []
    """What the lines of some servers leave open, each with the servers."""
    refusal: str | None = None
    """Why there is no mean."""


class PartLine(Schema):
    """One of two lines of watts against the number of parts [W, W/part]."""

    server: str
    part: str
    """As in `PartsOut`."""
    title: str
    """One of its parts in words: "drive Intel S3500", "FB-DIMM"."""
    watts_per_part: Interval95
    remark: str | None = None
    """Why watts per part have no ±, or what is in them besides the parts."""
    watts_without_parts: float
    simulated: bool = False
    traceable: bool = True
    included: bool = False
    """A run in it counts by a person's choice; the statement says whose, and why."""
    base: Interval | None = Field(default=None, exclude=True)
    """Watts without parts with the ends of their interval, for tables; None: 0 parts were not measured."""


class PartCrossing(Schema):
    """Count at which both lines are at the same power.

    ``extrapolated``: not all of the interval lies among the counts that were measured on both.
    """

    count: Interval
    """An end is None if it is unbounded."""
    first_whole: int
    """First whole number of parts at or past it."""
    extrapolated: bool


class PartChoice(Schema):
    """Parts of which a server ran one workload and level with several counts."""

    key: str
    """By what they are asked for: "drive: Intel S3500, 0.48 TB"."""
    kind: str
    part: str
    server: str
    workload: str
    level: str
    counts: list[int]
    """As the runs themselves state them."""


class PartBreakEvenOut(Schema):
    """Two models of part, or those of two servers: where their lines meet, and the difference of their slopes."""

    server: str
    part: str
    against: str
    against_part: str
    workload: str
    level: str
    kind: str
    statement: str
    lines: list[PartLine] = []
    """The line whose parts cost more comes first; empty where one of them is missing."""
    crossing: PartCrossing | None = None
    """None: the lines cross at no positive count, or there are none; ``statement`` says why."""
    slope_difference: Interval95 | None = None
    """Watts per part of the first line less those of the second [W/part]."""
    equal_power: PartRate | None = None
    """How many parts of the line that costs less draw as much as one of the other; None: not asked of memory."""
    simulated: bool
