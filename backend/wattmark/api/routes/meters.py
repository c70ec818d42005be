"""Meters: the test button."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from wattmark.api.appliance import ApplianceDep
from wattmark.appliance.meter_check_views import MeterCheckOut

router = APIRouter(prefix="/api/meters", tags=["meters"])


@router.post("/{name}/check")
async def check_meter(
    name: str,
    appliance: ApplianceDep,
    seconds: Annotated[float, Query(ge=1, le=600, description="How long to watch [s]")] = 20.0,
) -> MeterCheckOut:
    """Watch a meter or BMC of the bench and test its readings; answers when the time is over."""
    return await appliance.meter_checks.check(name, seconds)
