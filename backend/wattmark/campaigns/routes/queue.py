"""The queue of plans, and what it has given: bench health and the campaigns of last night."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field

from wattmark.access.http.about import About
from wattmark.access.http.permissions import identity_of
from wattmark.campaigns.health.health import Health
from wattmark.campaigns.health.views import BenchHealth
from wattmark.campaigns.queue.entries import QueueOut
from wattmark.campaigns.queue.queue import MOST_WAITING, PlanQueue
from wattmark.campaigns.running import Campaigns
from wattmark.core.inputs import WHOLE, Input, Text
from wattmark.web.provided import provided

router = APIRouter(prefix="/api/campaign", tags=["queue"])
QueueDep = Annotated[PlanQueue, provided(PlanQueue)]
HealthDep = Annotated[Health, provided(Health)]
CampaignsDep = Annotated[Campaigns, provided(Campaigns)]
SinceQuery = Annotated[float, Query(ge=0, le=1e11, description="Begin of the night [Unix seconds].")]


class QueuePlan(Input):
    """Request to queue a plan."""

    plan: Text


class MovePlan(Input):
    """Request to move a plan that waits to a position, counted from 0."""

    position: Annotated[int, Field(ge=0, lt=MOST_WAITING), WHOLE]


@router.get("/queue")
async def queue(queue: QueueDep) -> QueueOut:
    """List the plans that wait, the times of those with a calendar, and what became of the latest ones."""
    return queue.out()


@router.post("/queue", status_code=202)
async def add(order: QueuePlan, queue: QueueDep, request: Request, about: About) -> QueueOut:
    """Put a plan at the end of the queue: drives the servers of its configurations to full load at its turn."""
    about(order.plan)
    return await queue.add(order.plan, identity_of(request).name)


@router.put("/queue/{entry}")
async def move(entry: str, order: MovePlan, queue: QueueDep) -> QueueOut:
    """Move a plan that waits to another position."""
    return await queue.move(entry, order.position)


@router.delete("/queue/{entry}")
async def remove(entry: str, queue: QueueDep) -> QueueOut:
    """Remove a plan that waits; a campaign that runs is stopped by its own route."""
    return await queue.remove(entry)


@router.get("/health")
def health(health: HealthDep, campaigns: CampaignsDep, since_s: SinceQuery) -> BenchHealth:
    """Return the control charts of the reference plans, and the campaigns since an instant with their results."""
    return health.health(since_s, campaigns.status.campaign_id if campaigns.running else None)
