"""Meters: the test button, for those of the bench and for those that are not saved yet."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from wattmark.access.http.about import About
from wattmark.bench.editing.edit_problem import EditProblem
from wattmark.instruments.connect_views import FoundListOut, ScanOrder, TryOrder, TryOut
from wattmark.instruments.connecting import Connecting
from wattmark.instruments.meter_check_views import MeterCheckOut
from wattmark.instruments.meter_checks import MeterChecks
from wattmark.web.provided import provided

router = APIRouter(prefix="/api", tags=["meters"])
ConnectingDep = Annotated[Connecting, provided(Connecting)]
MeterChecksDep = Annotated[MeterChecks, provided(MeterChecks)]


@router.get("/ports")
def ports(connecting: ConnectingDep) -> FoundListOut:
    """List the serial ports of the appliance and the meters on them. Opens none."""
    return connecting.ports()


@router.post("/meters/scan")
async def scan(order: ScanOrder, connecting: ConnectingDep, about: About) -> FoundListOut:
    """Search the given targets for devices; responds within 2 min."""
    about(order.modbus_tcp or order.serial or order.hosts or "")
    return await connecting.scan(order)


@router.post("/meters/try", responses={422: {"model": EditProblem, "description": "The problem and its field"}})
async def try_meter(order: TryOrder, connecting: ConnectingDep, about: About) -> TryOut:
    """Open a meter without saving it, read it for a while and test its readings."""
    about(str(order.meter.get("id") or order.meter.get("model") or ""))
    return await connecting.attempt(order)


@router.post("/meters/{name}/check")
async def check_meter(
    name: str,
    meter_checks: MeterChecksDep,
    seconds: Annotated[float, Query(ge=1, le=600, description="Duration of the test [s]")] = 20.0,
) -> MeterCheckOut:
    """Test the readings of a meter or BMC of the bench; responds when the test is over."""
    return await meter_checks.check(name, seconds)
