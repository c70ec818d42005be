"""The bench: servers, configurations, meters, plans."""

from __future__ import annotations

from fastapi import APIRouter

from wattmark.bench.views import BenchOut
from wattmark.service.deps import ServiceDep

router = APIRouter(prefix="/api", tags=["bench"])


@router.get("/bench")
def bench(service: ServiceDep) -> BenchOut:
    """Describe the bench that the service uses."""
    return service.bench_out()
