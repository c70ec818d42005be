"""Check standards: the stable loads that show drift between calibrations, and their control charts."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter

from wattmark.access.http.about import About
from wattmark.instruments.check_standard import LiveCheckStandards
from wattmark.traceability.check_standards.record import NewCheckStandard
from wattmark.traceability.check_standards.views import CheckChartOut, CheckStandardOut, NewReading
from wattmark.web.provided import provided

router = APIRouter(prefix="/api/check-standards", tags=["check_standards"])
LiveCheckStandardsDep = Annotated[LiveCheckStandards, provided(LiveCheckStandards)]


@router.get("")
def list_check_standards(check_standards: LiveCheckStandardsDep) -> list[CheckStandardOut]:
    """List the check standards with the verdict of their last reading."""
    return check_standards.standards.list()


@router.post("", status_code=201)
def add_check_standard(
    order: NewCheckStandard, check_standards: LiveCheckStandardsDep, about: About
) -> CheckStandardOut:
    """Add a check standard for one meter."""
    about(order.name, order.meter)
    return check_standards.standards.add(order)


@router.get("/{name}")
def check_standard_chart(name: str, check_standards: LiveCheckStandardsDep) -> CheckChartOut:
    """Return the control chart of a check standard: readings, baseline, limits and broken rules in words."""
    return check_standards.standards.chart(name)


@router.post("/{name}/readings", status_code=201)
async def record_reading(name: str, order: NewReading, check_standards: LiveCheckStandardsDep) -> CheckChartOut:
    """Record a reading: by hand (`power_w`), or by reading the meter for `seconds`; responds when done."""
    return await check_standards.record(name, order)
