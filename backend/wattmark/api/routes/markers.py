"""Marks of loads that wattmark does not start."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from wattmark.api.about import About, campaign_names
from wattmark.api.appliance import ApplianceDep
from wattmark.given import Given
from wattmark.workloads.markers import MarkerKind

router = APIRouter(prefix="/api/markers", tags=["markers"])


class MarkerIn(Given):
    """A mark: the work begins, it ends, or a number about it."""

    kind: MarkerKind
    value: Annotated[float, Field(ge=0)] | None = None
    """Only of a "value", in the unit of the workload that runs."""


class MarkerOut(BaseModel):
    """When the mark was taken [UTC ns]."""

    t_ns: int


@router.post("", status_code=202)
async def mark(order: MarkerIn, appliance: ApplianceDep, about: About) -> MarkerOut:
    """Mark the work of a load that others start; the instant of arrival counts."""
    about(order.kind, *campaign_names(appliance.campaigns.status))
    return MarkerOut(t_ns=appliance.mark(order.kind, order.value))
