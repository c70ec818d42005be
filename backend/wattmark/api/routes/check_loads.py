"""Check loads: the stable loads that show drift between calibrations, and their control charts."""

from __future__ import annotations

from fastapi import APIRouter

from wattmark.api.about import About
from wattmark.api.appliance import ApplianceDep
from wattmark.check_loads.views import CheckChartOut, CheckLoadOut, NewCheckLoad, NewReading

router = APIRouter(prefix="/api/check-loads", tags=["check_loads"])


@router.get("")
def list_check_loads(appliance: ApplianceDep) -> list[CheckLoadOut]:
    """List the check loads with how their last reading stands."""
    return appliance.check_loads.room.list()


@router.post("", status_code=201)
def add_check_load(order: NewCheckLoad, appliance: ApplianceDep, about: About) -> CheckLoadOut:
    """Add a check load of one meter."""
    about(order.name, order.meter)
    return appliance.check_loads.room.add(order)


@router.get("/{name}")
def check_load_chart(name: str, appliance: ApplianceDep) -> CheckChartOut:
    """Give the control chart of a check load: readings, baseline, limits and broken rules in words."""
    return appliance.check_loads.room.chart(name)


@router.post("/{name}/readings", status_code=201)
async def record_reading(name: str, order: NewReading, appliance: ApplianceDep) -> CheckChartOut:
    """Record a reading: by hand (`power_w`), or by reading the meter for `seconds`; answers when it is done."""
    return await appliance.check_loads.record(name, order)
