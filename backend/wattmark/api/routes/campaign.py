"""The campaign: what runs, start, stop, go on."""

from __future__ import annotations

from fastapi import APIRouter

from wattmark.api.about import About, campaign_names
from wattmark.api.appliance import ApplianceDep
from wattmark.api.schemas import ResumeCampaign, StartCampaign
from wattmark.campaigns.show import PlanView
from wattmark.campaigns.status import CampaignOut
from wattmark.errors import Conflict, NotFound

router = APIRouter(prefix="/api/campaign", tags=["campaign"])


@router.get("")
async def current(appliance: ApplianceDep) -> CampaignOut:
    """Tell what the campaign does now."""
    return appliance.campaigns.status


@router.get("/plans/{name}")
async def plan(name: str, appliance: ApplianceDep) -> PlanView:
    """Show the run table of a plan, its duration, what it excludes and what is missing; nothing is started."""
    return appliance.plan_view(name)


@router.post("", status_code=202)
async def start(order: StartCampaign, appliance: ApplianceDep, about: About) -> CampaignOut:
    """Start a plan: drives the servers of its configurations to full load."""
    about(order.plan)
    if appliance.campaigns.running:
        raise Conflict(f"The plan {appliance.campaigns.status.plan!r} is running.", "Stop it first, or wait.")
    if order.plan not in appliance.plan_names():
        known = ", ".join(appliance.plan_names()) or "none"
        raise NotFound(f"There is no plan {order.plan[:80]!r}.", f"Plans of this bench: {known}.")
    started = appliance.campaigns.start(order.plan)
    about(order.plan, started.campaign_id or "")
    return started


@router.post("/resume", status_code=202)
async def resume(order: ResumeCampaign, appliance: ApplianceDep, about: About) -> CampaignOut:
    """Go on with a campaign at its first unfinished run: drives its servers to full load."""
    about(order.campaign_id)
    return appliance.campaigns.resume(order.campaign_id)


@router.post("/stop", status_code=202)
async def stop(appliance: ApplianceDep, about: About) -> CampaignOut:
    """Stop the load on every host; the current run is kept as aborted."""
    about(*campaign_names(appliance.campaigns.status))
    appliance.campaigns.stop()
    return appliance.campaigns.status


@router.post("/ready", status_code=202)
async def ready(appliance: ApplianceDep, about: About) -> CampaignOut:
    """Say that the operator has fitted the configuration that the campaign waits for."""
    about(*campaign_names(appliance.campaigns.status))
    appliance.campaigns.operator_ready()
    return appliance.campaigns.status
