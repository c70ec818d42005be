"""Comparisons, ready for the API, the pages and the exports."""

from __future__ import annotations

from typing import Literal

from wattmark.analysis.comparison.course import Turns
from wattmark.analysis.efficiency.dominant import DominantContribution
from wattmark.core.interval import Interval, Interval95
from wattmark.core.quantity import BudgetLine
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


class FigureElsewhere(Schema):
    """A published figure of the workload at another load: shown apart, never compared."""

    key: str
    title: str
    level: str
    figure: Interval95 | None
    """Ends from rounding only."""
    unit: str
    source: str


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
    """Key of its group; the best one where nobody chose."""
    best: str | None = None
    """The best group: measured before simulated before published, and of those one that is ranked, if any is.

    None where only a page of the configurations is compared: the best may be on another."""
    first_place: list[str] = []
    """The best configuration and those that no test tells from it; empty where none can be tested against it."""
    groups: list[CompareGroup]
    pairs: list[ComparePair]
    """Every group against the baseline."""
    against_best: list[ComparePair] = []
    """Every group against the best; empty where that is the baseline."""
    other_pairs: list[ComparePair] = []
    """All other pairs, while there are few groups; more are asked for (`/api/compare/pairs`)."""
    at_another_load: list[FigureElsewhere] = []
    """Published figures of this workload at other loads."""
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
    opens: bool = False
    """Whether a comparison opens with it where nobody chose: full load of the workload with most configurations."""
