"""Marks of loads that wattmark does not start."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from wattmark.access.http.about import About
from wattmark.campaigns.running import Campaigns
from wattmark.campaigns.status import campaign_names
from wattmark.core.inputs import REAL, Input
from wattmark.web.provided import provided
from wattmark.workloads.markers import MarkerInbox, MarkerKind

router = APIRouter(prefix="/api/markers", tags=["markers"])
CampaignsDep = Annotated[Campaigns, provided(Campaigns)]
MarkerInboxDep = Annotated[MarkerInbox, provided(MarkerInbox)]


class MarkerIn(Input):
    """A marker: start of the work, end of the work, or a value."""

    kind: MarkerKind
    value: Annotated[float, Field(ge=0), REAL] | None = None
    """Only of a "value", in the unit of the workload that runs."""


class MarkerOut(BaseModel):
    """Time at which the marker was received [UTC ns]."""

    t_ns: int


@router.post("", status_code=202)
async def mark(order: MarkerIn, campaigns: CampaignsDep, inbox: MarkerInboxDep, about: About) -> MarkerOut:
    """Set a marker for a load that is started elsewhere; the time of arrival counts."""
    about(order.kind, *campaign_names(campaigns.status))
    return MarkerOut(t_ns=inbox.mark(order.kind, order.value))
