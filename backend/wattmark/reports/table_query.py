"""The choices of a table or figure, and their wording in the description of methods."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, Field

from wattmark.analysis.comparison.comparison import SMALLEST_DIFFERENCE
from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.analysis.parts.slopes import AMB_MARGIN_W, claimed
from wattmark.comparison.choices import MOST_PCT, MOST_ROWS, Axis, DateKind, Figure, Sort
from wattmark.comparison.memory.yearly_cost import HOURS_A_YEAR
from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.results.pages.row import Kind, RunQuality
from wattmark.runs.record import RunStatus
from wattmark.tables.layouts import LayoutName

DEFAULT_PCT = 100 * SMALLEST_DIFFERENCE


class TableQuery(BaseModel):
    """Which rows a table shall hold; each table uses the parts that concern it, `used_by`."""

    run_id: str | None = None
    server: str | None = None
    against: str | None = None
    """The other server of a break-even, or the other run of differences."""
    modules: str | None = None
    """The kind of memory modules, or all of them."""
    ways: str = Field(default="", max_length=1000)
    """Ways of populating a server with memory, with semicolons between: "6 x 32; 12 x 16"."""
    tariff_per_kwh: float | None = Field(default=None, gt=0, le=1000, allow_inf_nan=False)
    """Price of energy [currency/kWh]; None: nothing is priced."""
    currency: str = Field(default="EUR", pattern="^[A-Za-z]{3}$")
    hours: float = Field(default=HOURS_A_YEAR, gt=0, le=HOURS_A_YEAR, allow_inf_nan=False)
    """Hours a year at the level of a prediction."""
    part: str | None = None
    """Kind and model of a counted part, or its kind alone."""
    against_part: str | None = None
    """The other parts of a break-even."""
    workload: str | None = None
    level: str | None = None
    baseline: str | None = None
    configuration: str | None = None
    factor: str | None = None
    new: str | None = None
    old: str | None = None
    figure: Figure = "efficiency"
    ignore: str = ""
    """Factors that may differ, with commas between."""
    axis: Axis = "clock"
    target: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    smallest_pct: float = Field(default=DEFAULT_PCT, gt=0, le=MOST_PCT)
    """Smallest relevant difference of a comparison [%]."""
    dates: DateKind = "available"
    """Date by which published results are drawn over the years."""
    keys: str = Field(default="", max_length=15_000)
    """Keys of the published results to draw, with commas between; empty: all."""
    sort: Sort = "rank"
    """Order of the configurations of a comparison."""
    top: int | None = Field(default=None, ge=1, le=MOST_ROWS)
    """Only so many of the best configurations of a comparison, and the baseline."""
    any_version: bool = False
    """Whether configurations that ran different versions of the load program are ranked too."""
    claim_w: float | None = Field(default=None, gt=0, le=1000)
    """Claimed watts per DIMM; None: nothing is claimed."""
    margin_w: float = Field(default=AMB_MARGIN_W, gt=0, le=1000)
    from_level: float | None = Field(default=None, gt=0, le=1e9)
    """Average over this level and higher."""
    rule: RuleName = "complete"
    """By which rule the window of every run is chosen."""
    nodes: int | None = Field(default=None, ge=1, le=10_000_000)
    """How many nodes the whole machine has, for a power submission."""
    article: str | None = None
    """Which published table."""
    suite: str | None = None
    """Which suite of graduated loads."""
    layout: LayoutName = "paper"
    """Columns that people see: those of an article, or all."""
    columns: str = Field(default="", max_length=2000)
    """Keys of the columns to show, with commas between, instead of a layout."""
    run_ids: str = Field(default="", max_length=15_000)
    """Ids of the runs of the table of results, with commas between."""
    text: str = Field(default="", max_length=200)
    """Words to find in names, meter, tags or note of a run; this filter and those below choose the rows of results."""
    status: RunStatus | None = None
    kind: Kind | None = None
    quality: RunQuality | None = None
    tag: str | None = None
    campaign_id: str | None = None

    @property
    def claim(self) -> tuple[float, float] | None:
        """Return the claimed watts per DIMM with their margin [W]; None where nothing is claimed."""
        return claimed(self.claim_w, self.margin_w)


_NOT_OF_RUNS = (
    *("published", "memory-predicted", "certificates", "meters", "differences", "years"),
    *("suite", "suite-levels"),
)
FILTERS = ("text", "status", "kind", "quality", "server", "workload", "level", "configuration", "campaign_id", "tag")
"""Choices that select runs of the table of results, as the list of runs does."""
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "results": FILTERS,
    "memory-slots": FILTERS,
    "compare": ("server", "figure", "baseline", "smallest_pct", "any_version"),
    "memory": ("modules", "claim_w", "margin_w"),
    "memory-fit": ("modules", "claim_w", "margin_w"),
    "memory-predicted": ("ways", "modules", "tariff_per_kwh", "currency", "hours"),
    "break-even": ("against",),
    "parts": ("part",),
    "parts-fit": ("part",),
    "parts-break-even": ("part", "against", "against_part"),
    "scaling": ("from_level",),
    "normalised": ("figure", "baseline"),
    "geometric-means": ("baseline", "from_level"),
    "deltas": ("figure", "factor", "ignore"),
    "extrapolated": ("axis", "target", "ignore"),
    "eehpc": ("nodes",),
}
"""Choices of each table besides rows and window rule."""
_ROWS: Mapping[str, tuple[str, ...]] = {
    "results": ("run_ids",),
    "memory-slots": ("run_ids",),
    "run": ("run_id",),
    "cross-check": ("run_id",),
    "differences": ("run_id", "against"),
    "compare": ("workload", "level", "sort", "top"),
    "memory": ("server", "workload", "level"),
    "memory-fit": ("server", "workload", "level"),
    "memory-predicted": ("workload", "level"),
    "break-even": ("server", "workload", "level"),
    "parts": ("server", "workload", "level"),
    "parts-fit": ("server", "workload", "level"),
    "parts-break-even": ("server", "workload", "level"),
    "scaling": ("workload", "configuration"),
    "years": ("workload", "level", "figure", "dates", "keys"),
    "load-levels": ("workload", "configuration"),
    "deltas": ("workload", "new", "old"),
    "normalised": ("workload",),
    "geometric-means": ("workload",),
    "extrapolated": ("workload", "configuration"),
    "factors": ("workload",),
    "published": ("article",),
    "suite": ("suite", "configuration"),
    "suite-levels": ("suite", "configuration"),
    "eehpc": ("run_id", "run_ids", *FILTERS),
    "mlperf-summary": ("run_id", "run_ids", *FILTERS),
    "procurement": ("run_id", "run_ids", *FILTERS),
}
"""What chooses the rows of each table besides its choices."""
_LOOK = ("layout", "columns")
_WORDS: Mapping[str, tuple[str, str]] = {
    "text": ("runs with the words", ""),
    "status": ("status", ""),
    "kind": ("kind", ""),
    "quality": ("quality", ""),
    "server": ("server", ""),
    "workload": ("workload", ""),
    "level": ("level", ""),
    "configuration": ("configuration", ""),
    "campaign_id": ("campaign", ""),
    "tag": ("tag", ""),
    "figure": ("figure", ""),
    "baseline": ("baseline", ""),
    "smallest_pct": ("smallest relevant difference", " %"),
    "any_version": ("any version of the load program", ""),
    "against": ("compared with", ""),
    "modules": ("modules", ""),
    "ways": ("ways of populating", ""),
    "tariff_per_kwh": ("price of energy", " per kWh"),
    "currency": ("currency", ""),
    "hours": ("hours a year", " h"),
    "part": ("parts", ""),
    "against_part": ("compared with the parts", ""),
    "claim_w": ("claim", " W per DIMM"),
    "margin_w": ("equal to the claim within", " W per DIMM"),
    "from_level": ("average over levels from", ""),
    "factor": ("factor", ""),
    "ignore": ("factors that may differ", ""),
    "axis": ("extrapolated by", ""),
    "target": ("extrapolated to", ""),
    "nodes": ("nodes of the machine", ""),
}


def used_by(table: str) -> tuple[str, ...]:
    """List the choices that a table uses, besides those of its columns."""
    rule = () if table in _NOT_OF_RUNS else ("rule",)
    return (*_ROWS.get(table, ()), *_CHOICES.get(table, ()), *rule)


def require_used(table: str, query: TableQuery) -> None:
    """Refuse a choice that a table does not use: it would hold rows that were not wanted. Raises `InputError`."""
    used = used_by(table)
    for name, field in TableQuery.model_fields.items():
        if name not in (*used, *_LOOK) and getattr(query, name) not in (field.default, ""):
            remedy = f"It uses {', '.join(used)}." if used else "Leave it out."
            raise InputError(f"The table {table} does not use {name}.", remedy)


def choices_made(table: str, query: TableQuery) -> tuple[tuple[str, str], ...]:
    """List the choices of a query as (term, choice): window rule, limits and thresholds."""
    if table in _NOT_OF_RUNS:
        return ()
    unused = {"margin_w"} if query.claim is None else set()
    chosen = {name: getattr(query, name) for name in _CHOICES.get(table, ()) if name not in unused}
    choices = [(name, value) for name, value in chosen.items() if value not in (None, "", False)]
    return (
        ("chosen: window rule", query.rule),
        *(
            (
                f"chosen: {_WORDS[name][0]}",
                f"{_choice(value)}{_WORDS[name][1]}",
            )
            for name, value in choices
        ),
    )


def _choice(value: object) -> str:
    if value is True:
        return "yes"
    return format_number(value) if isinstance(value, float) else str(value)
