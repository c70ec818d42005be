"""Measurements of work that others do: open, begin, end, drop."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request

from wattmark.access.http.about import About
from wattmark.measurements.opened import LEFT, OpenMeasurements
from wattmark.measurements.views import BegunOut, EndMeasurement, MeasuredOut, MeasurementOut, NewMeasurement
from wattmark.web.provided import provided

router = APIRouter(prefix="/api/measurements", tags=["measurements"])
OpenMeasurementsDep = Annotated[OpenMeasurements, provided(OpenMeasurements)]


@router.get("")
async def list_open(measurements: OpenMeasurementsDep) -> list[MeasurementOut]:
    """List the measurements that are open."""
    return measurements.shown()


@router.post("", status_code=201)
async def open_measurement(
    order: NewMeasurement, measurements: OpenMeasurementsDep, about: About, request: Request
) -> MeasurementOut:
    """Begin to record a server of the bench; responds when its meters have given enough readings to begin the work."""
    about(order.name, order.server or "")
    opened = await measurements.open(order)
    about(order.name, opened.server, opened.id)
    if await request.is_disconnected():
        await measurements.drop(opened.id, LEFT)
    return opened


@router.post("/{identifier}/begin", status_code=201)
async def begin(identifier: str, measurements: OpenMeasurementsDep) -> BegunOut:
    """Begin the window; the time of arrival counts, and the work begins when the response is there."""
    return BegunOut(t_ns=await measurements.begin(identifier))


@router.post("/{identifier}/end")
async def end(identifier: str, order: EndMeasurement, measurements: OpenMeasurementsDep) -> MeasuredOut:
    """End the window with the work done in it; responds with the result when readings enclose the window."""
    return await measurements.end(identifier, order)


@router.delete("/{identifier}", status_code=204)
async def drop(identifier: str, measurements: OpenMeasurementsDep) -> None:
    """Drop a measurement that is open; its run is kept as aborted."""
    await measurements.drop(identifier, "Dropped by a request before its end.")
