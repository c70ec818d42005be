"""Comparisons: configurations side by side, and watts against the number of DIMMs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from wattmark.analysis.slopes import AMB_MARGIN_W, AMB_W
from wattmark.api.appliance import ApplianceDep
from wattmark.api.stored import StoredRoute
from wattmark.appliance.sweeps import SweepOut, sweeps
from wattmark.published.views import PublishedOut
from wattmark.results.break_even_views import BreakEvenOut
from wattmark.results.views import CompareChoice, CompareOut, MemoryOut
from wattmark.results.yardstick import MOST_PCT, ComparedBy, yardstick

router = APIRouter(prefix="/api", tags=["compare"], route_class=StoredRoute)


@router.get("/compare/choices")
def choices(appliance: ApplianceDep) -> list[CompareChoice]:
    """List the workloads and levels that something can be compared under."""
    return appliance.queries.choices()


@router.get("/compare")
def compare(
    appliance: ApplianceDep,
    workload: str,
    level: str,
    baseline: str | None = None,
    figure: Annotated[ComparedBy, Query(description="What is compared; of power, less is better")] = "efficiency",
    smallest_pct: Annotated[float, Query(gt=0, le=MOST_PCT, description="Smallest difference of interest [%]")] = 2.0,
) -> CompareOut:
    """Compare configurations under one workload and level, published figures beside measured ones."""
    return appliance.queries.compare(workload, level, baseline, yardstick(figure, smallest_pct))


@router.get("/memory")
def memory(
    appliance: ApplianceDep,
    server: str,
    workload: str,
    level: str,
    claim_w: Annotated[float, Query(gt=0, le=1000, description="Watts per DIMM that somebody claims")] = AMB_W,
    margin_w: Annotated[float, Query(gt=0, le=1000, description="Equal within this [W/DIMM]")] = AMB_MARGIN_W,
) -> MemoryOut:
    """Fit watts against the number of DIMMs of one server, and hold the slope against a claim."""
    return appliance.queries.memory(server, workload, level, (claim_w, margin_w))


@router.get("/memory/break-even")
def memory_break_even(appliance: ApplianceDep, server: str, against: str, workload: str, level: str) -> BreakEvenOut:
    """Find at how many DIMMs the advantage of one server over another is gone, or say why that cannot be told."""
    return appliance.queries.break_even((server, against), workload, level)


@router.get("/scaling")
def scaling(
    appliance: ApplianceDep,
    workload: str,
    from_level: Annotated[float | None, Query(gt=0, le=1e9, description="Average over this level and higher")] = None,
) -> list[SweepOut]:
    """Give every configuration that ran a workload at several levels: its curve, peak, knee and upper mean."""
    return sweeps(appliance.queries.results(workload=workload), workload, from_level)


@router.get("/published")
def published(appliance: ApplianceDep) -> PublishedOut:
    """Give the published library: figures of others, not measured here."""
    return appliance.queries.published()
