"""Meters: the test button, for those of the bench and for those that are not saved yet."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from wattmark.api.about import About
from wattmark.api.appliance import ApplianceDep
from wattmark.api.schemas import EditProblem
from wattmark.appliance.connect_views import FoundListOut, ScanOrder, TryOrder, TryOut
from wattmark.appliance.meter_check_views import MeterCheckOut

router = APIRouter(prefix="/api", tags=["meters"])


@router.get("/ports")
def ports(appliance: ApplianceDep) -> FoundListOut:
    """List the serial ports of the appliance, and the meters that are on them already; none is opened."""
    return appliance.connecting.ports()


@router.post("/meters/scan")
async def scan(order: ScanOrder, appliance: ApplianceDep, about: About) -> FoundListOut:
    """Look for devices where the order says; answers within two minutes."""
    about(order.modbus_tcp or order.serial or order.hosts or "")
    return await appliance.connecting.scan(order)


@router.post("/meters/try", responses={422: {"model": EditProblem, "description": "What is wrong, at its field"}})
async def try_meter(order: TryOrder, appliance: ApplianceDep, about: About) -> TryOut:
    """Open a meter that need not be saved, read it for a while and test its readings."""
    about(str(order.meter.get("id") or order.meter.get("model") or ""))
    return await appliance.connecting.attempt(order)


@router.post("/meters/{name}/check")
async def check_meter(
    name: str,
    appliance: ApplianceDep,
    seconds: Annotated[float, Query(ge=1, le=600, description="How long to watch [s]")] = 20.0,
) -> MeterCheckOut:
    """Watch a meter or BMC of the bench and test its readings; answers when the time is over."""
    return await appliance.meter_checks.check(name, seconds)
