"""Where recorded samples are sent beside the data folder."""

from __future__ import annotations

from fastapi import APIRouter

from wattmark.api.appliance import ApplianceDep
from wattmark.influx.views import SinkOut

router = APIRouter(prefix="/api/store", tags=["store"])


@router.get("/sink")
def sink(appliance: ApplianceDep) -> SinkOut:
    """Tell how the sending to another server stands: what waits, what was refused, and what keeps it from sending."""
    return appliance.sink.out()
