"""The bench: servers, configurations, meters, plans."""

from __future__ import annotations

from fastapi import APIRouter

from wattmark.api.appliance import ApplianceDep
from wattmark.inventory.views import BenchOut

router = APIRouter(prefix="/api", tags=["bench"])


@router.get("/bench")
def bench(appliance: ApplianceDep) -> BenchOut:
    """Describe the bench that the service works with."""
    return appliance.bench_out()
