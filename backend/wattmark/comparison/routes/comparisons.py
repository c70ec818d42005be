"""Comparisons: configurations side by side, and watts against the number of DIMMs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from wattmark.comparison.compare.differences import DifferencesOut
from wattmark.comparison.compare.views import CompareOut, ComparePair
from wattmark.comparison.compare.yardstick import yardstick
from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.memory.module_words import FORM, FULL_FORM
from wattmark.comparison.memory.predicted import MOST_WAYS, PredictedMemoryOut
from wattmark.comparison.memory.published_memory import PublishedMemoryOut
from wattmark.comparison.memory.views import MemoryChoice
from wattmark.comparison.memory.yearly_cost import HOURS_A_YEAR, Energy
from wattmark.comparison.parts.views import PartBreakEvenOut, PartChoice, PartSlope, PooledSlope
from wattmark.comparison.routes.shared import (
    MOST_ROWS,
    Figure,
    FromLevel,
    PartKey,
    PartKind,
    Smallest,
    add_shared_routes,
)
from wattmark.comparison.scaling.scaling_views import LoadCurvesOut, PublishedCurvesOut
from wattmark.comparison.scaling.sweeps import SweepOut
from wattmark.comparison.suites.suite_views import SuiteOut, SuiteReportOut
from wattmark.web.provided import provided
from wattmark.web.stored import StoredRoute

router = APIRouter(prefix="/api", tags=["compare"], route_class=StoredRoute)
ComparisonsDep = Annotated[Comparisons, provided(Comparisons)]
AnyVersion = Annotated[
    bool, Query(description="Rank configurations that ran different versions of the load program too")
]
add_shared_routes(router, Comparisons)


@router.get("/compare")
def compare(
    comparisons: ComparisonsDep,
    workload: str,
    level: str,
    baseline: str | None = None,
    figure: Figure = "efficiency",
    smallest_pct: Smallest = 2.0,
    any_version: AnyVersion = False,
) -> CompareOut:
    """Compare configurations under one workload and level, measured and published."""
    return comparisons.compare(workload, level, baseline, yardstick(figure, smallest_pct), any_version=any_version)


@router.get("/compare/pairs")
def compare_pairs(
    comparisons: ComparisonsDep,
    workload: str,
    level: str,
    key: Annotated[list[str], Query(min_length=2, max_length=MOST_ROWS, description="Configurations")],
    figure: Figure = "efficiency",
    smallest_pct: Smallest = 2.0,
    any_version: AnyVersion = False,
) -> list[ComparePair]:
    """Compare every two of some configurations: the second of each pair is its baseline."""
    return comparisons.pairs(workload, level, key, yardstick(figure, smallest_pct), any_version=any_version)


@router.get("/compare/differences")
def compare_differences(
    comparisons: ComparisonsDep,
    a: Annotated[
        str, Query(max_length=300, description="Run id, or SERVER/CONFIGURATION: its last run, of work that both did")
    ],
    b: Annotated[
        str, Query(max_length=300, description="Run id, or SERVER/CONFIGURATION: its last run, of work that both did")
    ],
) -> DifferencesOut:
    """List what two runs declare differently, and what they disclose differently of load program and environment."""
    return comparisons.differences(a, b)


@router.get("/memory/slopes")
def memory_slopes(comparisons: ComparisonsDep, workload: str, level: str) -> list[PartSlope]:
    """Return the watts per DIMM of every server and kind of modules, the cheapest first."""
    return comparisons.memory_slopes(workload, level)


@router.get("/memory/pooled")
def memory_pooled(comparisons: ComparisonsDep, workload: str, level: str) -> list[PooledSlope]:
    """Return the watts per DIMM of each kind of modules over its servers, and the prediction for another one."""
    return comparisons.memory_pooled(workload, level)


@router.get("/memory/choices")
def memory_choices(comparisons: ComparisonsDep) -> list[MemoryChoice]:
    """List what watts per DIMM can be fitted from: servers, workloads and levels, those with most DIMM counts first."""
    return comparisons.memory_choices()


@router.get("/memory/published")
def memory_published(
    comparisons: ComparisonsDep,
    kind: Annotated[
        str | None, Query(max_length=200, description="Kind of modules. Default: that of most servers.")
    ] = None,
    level: Annotated[str | None, Query(max_length=200, description="Load level. Default: active idle.")] = None,
    workload: Annotated[str | None, Query(max_length=300, description="Default: that of most results.")] = None,
) -> PublishedMemoryOut:
    """Fit watts against the number of modules over published servers."""
    return comparisons.published_memory(kind, level, workload)


@router.get("/memory/predicted")
def memory_predicted(
    comparisons: ComparisonsDep,
    way: Annotated[
        list[str] | None,
        Query(
            max_length=MOST_WAYS,
            description=f"Ways of populating a server, such as {FORM!r}, or in full {FULL_FORM!r}; each other one "
            "is compared with the first",
        ),
    ] = None,
    kind: Annotated[
        str | None, Query(max_length=200, description="Kind of modules of ways that name none. Default: the commonest.")
    ] = None,
    level: Annotated[str | None, Query(max_length=200, description="Load level. Default: active idle.")] = None,
    workload: Annotated[str | None, Query(max_length=300, description="Needed for a level under load.")] = None,
    tariff_per_kwh: Annotated[
        float | None, Query(gt=0, le=1000, allow_inf_nan=False, description="Price of energy [currency/kWh]")
    ] = None,
    currency: Annotated[str, Query(pattern="^[A-Za-z]{3}$", description="Its currency")] = "EUR",
    hours: Annotated[
        float, Query(gt=0, le=HOURS_A_YEAR, allow_inf_nan=False, description="Hours a year at this level [h]")
    ] = HOURS_A_YEAR,
) -> PredictedMemoryOut:
    """Predict watts, work per joule and cost of memory populations that were not measured, each with its interval."""
    energy = Energy(tariff_per_kwh, currency.upper(), hours)
    return comparisons.memory_predicted(way or [], energy, kind, level, workload)


@router.get("/memory/break-even")
def memory_break_even(
    comparisons: ComparisonsDep, server: str, against: str, workload: str, level: str
) -> PartBreakEvenOut:
    """Find the DIMM count at which one server's advantage over another ends, or explain why it is not known."""
    return comparisons.break_even((server, against), workload, level)


@router.get("/parts/choices")
def part_choices(comparisons: ComparisonsDep) -> list[PartChoice]:
    """List the parts that servers ran one workload and level with several counts of."""
    return comparisons.part_choices()


@router.get("/parts/slopes")
def part_slopes(comparisons: ComparisonsDep, kind: PartKind, workload: str, level: str) -> list[PartSlope]:
    """Return the watts per part of every server and model of a kind, the cheapest first."""
    return comparisons.part_slopes(kind, workload, level)


@router.get("/parts/pooled")
def part_pooled(comparisons: ComparisonsDep, kind: PartKind, workload: str, level: str) -> list[PooledSlope]:
    """Return the watts per part of each model of a kind over its servers, and the prediction for another one."""
    return comparisons.part_pooled(kind, workload, level)


@router.get("/parts/break-even")
def parts_break_even(
    comparisons: ComparisonsDep,
    part: PartKey,
    against_part: PartKey,
    server: str,
    against: str,
    workload: str,
    level: str,
) -> PartBreakEvenOut:
    """Hold the lines of two models of part, or of two servers, against each other: crossing and equal power."""
    return comparisons.part_break_even((server, part), (against, against_part), workload, level)


@router.get("/scaling")
def scaling(comparisons: ComparisonsDep, workload: str, from_level: FromLevel = None) -> list[SweepOut]:
    """Return every configuration that ran a workload at several levels: its curve, peak, knee and upper mean."""
    return comparisons.sweeps(workload, from_level)


@router.get("/scaling/load-levels")
def scaling_load_levels(comparisons: ComparisonsDep, workload: str) -> LoadCurvesOut:
    """Return every configuration that ran a workload at several loads: power, energy proportionality, best load."""
    return comparisons.load_curves(workload)


@router.get("/scaling/published")
def scaling_published(
    comparisons: ComparisonsDep,
    workload: Annotated[str | None, Query(max_length=300, description="Default: that of most results.")] = None,
    key: Annotated[
        list[str] | None, Query(max_length=MOST_ROWS, description="Published results to return in full")
    ] = None,
) -> PublishedCurvesOut:
    """Return published results over their load levels: energy proportionality, idle share, best load, and spread."""
    return comparisons.published_curves(workload, key or [])


@router.get("/suites")
def suites(comparisons: ComparisonsDep) -> list[SuiteOut]:
    """List the suites of graduated loads, each with the configurations that ran a part of it."""
    return comparisons.suites()


@router.get("/suites/{suite}")
def suite_of(
    comparisons: ComparisonsDep,
    suite: str,
    configuration: Annotated[str, Query(max_length=300, description="Configuration, SERVER/CONFIGURATION")],
) -> SuiteReportOut:
    """Return the score of a configuration with ±, each level beside its target, active idle and proportionality."""
    return comparisons.suite(suite, configuration)
