"""Comparisons: configurations side by side, and watts against the number of DIMMs."""

from __future__ import annotations

from fastapi import APIRouter

from wattmark.api.appliance import ApplianceDep
from wattmark.published.views import PublishedOut
from wattmark.results.views import CompareChoice, CompareOut, MemoryOut

router = APIRouter(prefix="/api", tags=["compare"])


@router.get("/compare/choices")
def choices(appliance: ApplianceDep) -> list[CompareChoice]:
    """List the workloads and levels that something can be compared under."""
    return appliance.queries.choices()


@router.get("/compare")
def compare(appliance: ApplianceDep, workload: str, level: str, baseline: str | None = None) -> CompareOut:
    """Compare configurations under one workload and level, published figures beside measured ones."""
    return appliance.queries.compare(workload, level, baseline)


@router.get("/memory")
def memory(appliance: ApplianceDep, server: str, workload: str, level: str) -> MemoryOut:
    """Fit watts against the number of DIMMs of one server."""
    return appliance.queries.memory(server, workload, level)


@router.get("/published")
def published(appliance: ApplianceDep) -> PublishedOut:
    """Give the published library: figures of others, not measured here."""
    return appliance.queries.published()
