"""Comparisons and the memory view, ready for the API, the pages and the exports."""

from __future__ import annotations

from typing import Literal

from wattmark.analysis.comparison.course import Turns
from wattmark.analysis.efficiency.dominant import DominantContribution
from wattmark.core.interval import Interval, Interval95
from wattmark.core.quantity import BudgetLine, Quantity
from wattmark.core.schema import Schema


class Unranked(Schema):
    """A figure of a configuration that cannot be ranked by it: shown with the reason, never compared."""

    value: float
    """Geometric mean over ``n`` runs, without ±."""
    n: int
    why: str
    """In a few words: "unsteady (rule drift)", "no ±"."""


class GroupFacts(Schema):
    """What a configuration is made of and where its runs come from, as far as their records state it."""

    cpu: str | None = None
    maker: str | None = None
    """Maker or submitter of the system."""
    memory_type: str | None = None
    memory_gib: float | None = None
    accelerators: str | None = None
    lab: str | None = None
    """None: recorded here, or not by an appliance."""
    year: int | None = None
    """Of the last run, or of the publication."""
    collection: str | None = None
    """Where a published figure comes from: the site of an article, or an imported collection."""
    available_on: str | None = None
    """When the hardware of a published result could be bought; ISO date."""
    published_on: str | None = None
    """ISO date."""
    tags: list[str] = []
    """Of any of its runs."""
    settings: dict[str, str] | None = None
    """Power settings that a plan made for its runs, by name: {"power_cap_w": "125"}; None: nothing was set."""
    variant_of: str | None = None
    """The configuration of the bench file whose settings these are; None: without settings."""


class CompareGroup(Schema):
    """Repeats of one configuration under one workload and level, or one published figure."""

    key: str
    """Stable identity: "<server>/<configuration>" or "published:<id>"."""
    title: str
    name: str = ""
    """Server and title, without what all groups share; no two groups have the same."""
    lab: str = ""
    """Where it was measured, in a fleet; empty on an appliance."""
    server: str
    configuration: str
    dimm_count: int | None
    kind: Literal["measured", "simulated", "imported", "published"]
    workload: str
    level: str
    runs: list[str]
    n: int
    efficiency: Interval95 | None
    """For published figures low and high come from rounding only, and `traceable` is false."""
    power_w: Interval95 | None
    throughput: Interval95 | None
    efficiency_unit: str
    throughput_unit: str
    energy_per_op: Interval95 | None = None
    """The inverse of ``efficiency`` with its interval [J per operation]."""
    efficiency_budget: list[BudgetLine] = []
    """What limits the mean of the repeats: their scatter, and every error that they share."""
    efficiency_dominant: DominantContribution | None = None
    steady: bool | None
    full_load: bool | None
    traceable: bool
    sources_disagree: bool = False
    """Another source of power in one of its runs contradicts the reference meter; a remark says which."""
    rank_low: int | None = None
    rank_high: int | None = None
    source: str
    refusal: str | None = None
    """Why there is no perf/W here, in one sentence."""
    not_ranked: dict[str, str] = {}
    """Why none of its runs is ranked, by claim ("throughput", "efficiency", "power"); empty where one is."""
    inclusions: dict[str, list[str]] = {}
    """Runs that count by a person's choice, by claim: who, although which rule failed, and why. Remarks say it too."""
    program_versions: list[str] = []
    """Versions of the load program as it tells them; empty: not known."""
    remarks: list[str] = []
    unranked: dict[str, Unranked] = {}
    """Figures by claim that are known but not ranked."""
    facts: GroupFacts = GroupFacts()


class ComparePair(Schema):
    """A against the baseline: ratio of efficiencies with interval and the verdict in words.

    Without an interval, ``verdict`` gives the reason: a single run, a simulated side, or meters of unknown uncertainty.
    """

    key: str
    baseline: str
    ratio: Interval
    budget: list[BudgetLine] = []
    """What limits the ratio: the scatter of both, and what the errors of their meters leave; empty without interval."""
    cancels: list[str] = []
    """Which errors cancel in the ratio, each one sentence; "the gain of X cancels"."""
    p_adjusted: float | None
    significant: bool | None
    """None: cannot be tested (published figure, fewer than three runs, a simulated side, not measured in turns)."""
    turns: Turns | None = None
    """How the runs of the two follow one another in time: in turns, one after the other, or not recorded.

    A difference of those not measured in turns holds everything that changed in between; it is never called
    significant. None: a published figure takes part."""
    equivalent: bool | None = None
    """Whether the two are equal within the smallest relevant difference; None: cannot be tested."""
    repeats_needed: int | None = None
    """About how many more runs (installations, boots) of each would resolve that difference.

    None: not tested, or no number of runs would."""
    verdict: str


class SettingPoint(Schema):
    """A configuration under one of its power settings."""

    key: str
    """Of its group."""
    settings: dict[str, str]
    title: str
    """Those settings that vary, in words."""
    figure: Interval95
    """The figure compared by."""


class BestSetting(Schema):
    """Power settings of one configuration against each other: the best, and what no test tells from it."""

    server: str
    configuration: str
    """As the bench file names it."""
    settings: list[str]
    """Names of the settings that vary."""
    points: list[SettingPoint]
    """The ranked ones, in the order of their values."""
    best: str
    """Key of its group."""
    interval: Interval
    """Of the figure of the best, at 95 % for all settings at once: whichever is the best, chance has helped it."""
    alike: list[str]
    """Keys of the groups that are not distinguishable from the best; p-values are adjusted for all pairs of them."""
    untested: list[str]
    """Keys of the groups that cannot be tested against the best."""
    simulated: bool
    """Whether their power comes from a load model."""
    at_edge: bool
    """The best is the first or the last value of the sweep: the true best may lie beyond it."""
    statement: str


class CompareOut(Schema):
    """Configurations side by side under one workload and level."""

    workload: str
    level: str
    title: str
    efficiency_unit: str
    throughput_unit: str
    direction: Literal["higher", "lower"]
    """Which way is better in the figure compared by."""
    compared_by: Literal["efficiency", "throughput", "power"] = "efficiency"
    claim: str = ""
    """What of each run is compared, in one sentence."""
    smallest_difference_pct: float = 2.0
    """Smallest relevant difference: groups closer than this are equal for practical purposes."""
    baseline: str | None
    groups: list[CompareGroup]
    pairs: list[ComparePair]
    """Every group against the baseline."""
    other_pairs: list[ComparePair] = []
    """All other pairs, while there are few groups; choose another baseline to see the rest."""
    best_settings: list[BestSetting] = []
    """Of each configuration that was measured under several power settings."""
    statement: str
    """The answer in plain sentences, the first of which is a headline."""


class CompareDetails(Schema):
    """What stands behind one row of a comparison: the budget of its ±, and of its ratio to the baseline."""

    key: str
    baseline: str | None
    budget: list[BudgetLine]
    """Of the mean of its repeats, in the figure compared by performance per watt; empty where it is not complete."""
    dominant: DominantContribution | None
    pair: ComparePair | None
    """None: it is the baseline, or cannot be compared with it."""


class MatrixColumn(Schema):
    """A workload of the matrix, at the level that most of its configurations ran."""

    workload: str
    level: str
    unit: str
    n: int
    """Configurations with a figure."""


class MatrixCell(Schema):
    """A configuration under a workload, against the baseline."""

    value: float | None
    """None: it ran, but is not ranked."""
    ratio: Interval | None = None
    significant: bool | None = None
    """None: cannot be tested, or is the baseline. p-values are adjusted for all cells of the matrix."""
    simulated: bool = False
    remark: str | None = None
    """Why there is no ±, no ratio or no figure."""


class MatrixMean(Schema):
    """Geometric mean of the ratios of a row."""

    ratio: Interval
    workloads: int
    """Ratios in it; only rows with the same number can be compared."""
    remark: str | None = None


class MatrixRow(Schema):
    """A configuration over the workloads, in the order of the columns; a cell is None where it did not run."""

    key: str
    cells: list[MatrixCell | None]
    mean: MatrixMean | None


class MatrixOut(Schema):
    """Configurations by workloads: performance per watt as a multiple of the baseline's."""

    baseline: str
    figure: str
    columns: list[MatrixColumn]
    rows: list[MatrixRow]


class CompareChoice(Schema):
    """A workload and level at which configurations can be compared."""

    workload: str
    level: str
    title: str
    measured: int
    published: int


class MemoryPoint(Schema):
    """One run of a configuration in the memory view."""

    run_id: str
    configuration: str
    title: str = ""
    """Title of the configuration; empty: it has none."""
    dimm_count: int
    memory_gib: float | None
    memory_type: str | None = None
    channels: dict[str, int] = {}
    """Modules by memory channel."""
    balanced: bool | None = None
    """Whether every channel in use holds the same; None: the slots are not known."""
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


class ExcludedPoint(Schema):
    """A run excluded from the fit, with the reason and what to do."""

    run_id: str
    configuration: str
    title: str = ""
    dimm_count: int | None
    power: Quantity | None
    simulated: bool = False
    traceable: bool = True
    reason: str


class ClaimOut(Schema):
    """Watts per DIMM against a claim: refuted at 5 %, or equal within the margin."""

    claim_w: float
    margin_w: float
    p: float | None
    """None: it is not tested, because the DIMM counts were not measured in turns."""
    refuted: bool
    equivalent: bool
    text: str


class IdleLine(Schema):
    """Idle watts against DIMM count, from the idle phases of ``n`` runs; ``refusal`` says why there is no fit."""

    n: int
    watts_per_dimm: Interval95 | None = None
    intercept_w: float | None = None
    line: list[tuple[float, float, float, float]] = []
    """(DIMM count, fitted W, low, high) along the fitted line."""
    statement: str
    refusal: str | None = None
    remark: str | None = None
    """Why the slope has no ±, or what is in it besides the DIMMs."""


class ModuleKind(Schema):
    """Modules of one capacity and type, and what was measured with them."""

    modules: str
    counts: list[int]
    runs: int


class MemorySlope(Schema):
    """What a DIMM of one kind costs on one server."""

    server: str
    modules: str
    counts: list[int]
    """DIMM counts with runs that count."""
    runs: int
    simulated: bool
    watts_per_dimm: Interval95 | None = None
    refusal: str | None = None
    """Why there is no slope."""
    remark: str | None = None
    """Why the slope has no ±, or what is in it besides the DIMMs."""


class MemoryOut(Schema):
    """Watts against DIMM count for one server under one workload."""

    server: str
    workload: str
    level: str
    modules: str = ""
    """The kind of modules whose runs are shown; "all": every kind."""
    kinds: list[ModuleKind] = []
    """The kinds of modules among all runs that count, those with most DIMM counts first."""
    points: list[MemoryPoint]
    excluded: list[ExcludedPoint] = []
    """Runs of this server, workload and level that are no points of the line."""
    throughput_unit: str = ""
    efficiency_unit: str = ""
    watts_per_dimm: Interval95 | None
    intercept_w: float | None
    line: list[tuple[float, float, float, float]]
    """(DIMM count, fitted W, low, high) along the fitted line."""
    theil_sen_w: float | None
    lack_of_fit_p: float | None
    statement: str
    refusal: str | None = None
    simulated: bool
    warnings: list[str] = []
    """Channels that are filled unequally or left empty, and what changes with the count besides the modules."""
    claim: ClaimOut | None = None
    """The slope against a claimed one; None: there is no slope."""
    watts_per_dimm_dc: float | None = None
    """The slope behind the power supply, by its declared curve; None: no curve is declared."""
    idle: IdleLine | None = None
    """The same of the idle server; None: no run has an idle phase."""
    turns: Turns | None = None
    """How the DIMM counts follow one another in time; None: there is no slope.

    A slope over counts that were not measured in turns holds everything that changed with time; no claim is tested, and
    where time and the count changed together there is no ±."""
    remark: str | None = None
    """Why the slope has no ±, or what is in it besides the DIMMs."""
    planted: dict[str, float] | None = None
    """For a simulated server: what was put into its load model."""
