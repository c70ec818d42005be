"""Comparisons: configurations side by side, and watts against the number of DIMMs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from wattmark.analysis.memory.slopes import AMB_MARGIN_W, AMB_W
from wattmark.comparison.choices import MOST_PCT
from wattmark.comparison.compare.views import (
    CompareChoice,
    CompareDetails,
    CompareOut,
    MatrixOut,
    MemoryOut,
    MemorySlope,
)
from wattmark.comparison.compare.yardstick import ComparedBy, yardstick
from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.memory.break_even_views import BreakEvenOut
from wattmark.comparison.memory.published_memory import PublishedMemoryOut
from wattmark.comparison.published.views import PublishedOut
from wattmark.comparison.scaling.published_levels import LoadCurveOut
from wattmark.comparison.scaling.sweeps import SweepOut
from wattmark.web.provided import provided
from wattmark.web.stored import StoredRoute

MOST_ROWS = 60
"""Configurations in one matrix: their runs under all workloads are read."""
router = APIRouter(prefix="/api", tags=["compare"], route_class=StoredRoute)
ComparisonsDep = Annotated[Comparisons, provided(Comparisons)]


@router.get("/compare/choices")
def choices(comparisons: ComparisonsDep) -> list[CompareChoice]:
    """List the workloads and levels at which configurations can be compared."""
    return comparisons.choices()


@router.get("/compare")
def compare(
    comparisons: ComparisonsDep,
    workload: str,
    level: str,
    baseline: str | None = None,
    figure: Annotated[ComparedBy, Query(description="Quantity to compare; for power, lower is better")] = "efficiency",
    smallest_pct: Annotated[float, Query(gt=0, le=MOST_PCT, description="Smallest relevant difference [%]")] = 2.0,
) -> CompareOut:
    """Compare configurations under one workload and level, measured and published."""
    return comparisons.compare(workload, level, baseline, yardstick(figure, smallest_pct))


@router.get("/compare/details")
def compare_details(
    comparisons: ComparisonsDep,
    workload: str,
    level: str,
    key: str,
    baseline: str | None = None,
    figure: ComparedBy = "efficiency",
    smallest_pct: Annotated[float, Query(gt=0, le=MOST_PCT, description="Smallest relevant difference [%]")] = 2.0,
) -> CompareDetails:
    """Return the budget of one configuration of a comparison, and of its ratio to the baseline."""
    return comparisons.details(workload, level, key, baseline, yardstick(figure, smallest_pct))


@router.get("/compare/matrix")
def compare_matrix(
    comparisons: ComparisonsDep,
    baseline: str,
    key: Annotated[list[str], Query(min_length=1, max_length=MOST_ROWS, description="Configurations, in order")],
    figure: ComparedBy = "efficiency",
) -> MatrixOut:
    """Compare configurations under every workload that they ran, as multiples of the baseline's figure."""
    return comparisons.matrix(key, baseline, figure)


@router.get("/memory")
def memory(
    comparisons: ComparisonsDep,
    server: str,
    workload: str,
    level: str,
    claim_w: Annotated[float, Query(gt=0, le=1000, description="Claimed watts per DIMM")] = AMB_W,
    margin_w: Annotated[float, Query(gt=0, le=1000, description="Equivalence margin [W/DIMM]")] = AMB_MARGIN_W,
    modules: Annotated[
        str | None, Query(max_length=200, description="Kind of modules, or all. Default: that with most DIMM counts.")
    ] = None,
) -> MemoryOut:
    """Fit watts against the number of DIMMs of one server, and test the slope against a claim."""
    return comparisons.memory(server, workload, level, (claim_w, margin_w), modules=modules)


@router.get("/memory/slopes")
def memory_slopes(comparisons: ComparisonsDep, workload: str, level: str) -> list[MemorySlope]:
    """Return the watts per DIMM of every server and kind of modules, the cheapest first."""
    return comparisons.memory_slopes(workload, level)


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


@router.get("/memory/break-even")
def memory_break_even(
    comparisons: ComparisonsDep, server: str, against: str, workload: str, level: str
) -> BreakEvenOut:
    """Find the DIMM count at which one server's advantage over another ends, or explain why it is not known."""
    return comparisons.break_even((server, against), workload, level)


@router.get("/scaling")
def scaling(
    comparisons: ComparisonsDep,
    workload: str,
    from_level: Annotated[float | None, Query(gt=0, le=1e9, description="Average over this level and higher")] = None,
) -> list[SweepOut]:
    """Return every configuration that ran a workload at several levels: its curve, peak, knee and upper mean."""
    return comparisons.sweeps(workload, from_level)


@router.get("/scaling/published")
def scaling_published(
    comparisons: ComparisonsDep,
    key: Annotated[list[str], Query(min_length=1, max_length=MOST_ROWS, description="Published results, in order")],
) -> list[LoadCurveOut]:
    """Return published results over their load levels: energy proportionality, idle share, best level."""
    return comparisons.load_curves(key)


@router.get("/published")
def published(comparisons: ComparisonsDep) -> PublishedOut:
    """Return the library of published figures, not measured here."""
    return comparisons.published()
