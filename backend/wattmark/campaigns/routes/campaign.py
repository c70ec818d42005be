"""The campaign: what runs, start, stop, go on."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from wattmark.access.http.about import About
from wattmark.bench.configuration import Count
from wattmark.campaigns.history import CampaignHistory, HistoryQuery, StoredCampaigns
from wattmark.campaigns.planning.view import Plans, PlanView
from wattmark.campaigns.running import Campaigns
from wattmark.campaigns.status import CampaignOut, ThroughputSoFar, campaign_names
from wattmark.comparison.suites.suite import find_suite
from wattmark.comparison.suites.suite_plan import suite_plan
from wattmark.core.errors import Conflict, NotFound
from wattmark.core.inputs import Input, Text
from wattmark.web.provided import provided

router = APIRouter(prefix="/api/campaign", tags=["campaign"])
CampaignsDep = Annotated[Campaigns, provided(Campaigns)]
PlansDep = Annotated[Plans, provided(Plans)]
HistoryDep = Annotated[StoredCampaigns, provided(StoredCampaigns)]


class StartCampaign(Input):
    """Request to run a plan."""

    plan: Text


class StartSuite(Input):
    """Request to run a suite of graduated loads."""

    suite: Text
    configurations: Annotated[tuple[Text, ...], Field(min_length=1, max_length=100)]
    """As "server/configuration"."""
    repeats: Count = 1


class ResumeCampaign(Input):
    """Request to resume an unfinished campaign."""

    campaign_id: Text | None = None
    """None: the latest one."""


class RepeatRuns(Input):
    """Request to repeat the disturbed runs of a campaign that has ended."""

    campaign_id: Text | None = None
    """None: the newest one."""


@router.get("")
async def current(campaigns: CampaignsDep) -> CampaignOut:
    """Return the state of the campaign."""
    return campaigns.status


@router.get("/throughput")
async def throughput(campaigns: CampaignsDep) -> list[ThroughputSoFar]:
    """Return the throughput that each run under way has reported so far, over time."""
    return campaigns.throughput()


@router.get("/history")
def history(campaigns: CampaignsDep, stored: HistoryDep, query: Annotated[HistoryQuery, Query()]) -> CampaignHistory:
    """List the stored campaigns, newest first: how each ended, and how many of its runs ended alike."""
    return stored.page(query, campaigns.status.campaign_id if campaigns.running else None)


@router.get("/plans/{name}")
async def plan(name: str, plans: PlansDep) -> PlanView:
    """Show the run table of a plan, its duration, its excluded runs and what is missing. Starts nothing."""
    return plans.view(name)


@router.post("", status_code=202)
async def start(order: StartCampaign, campaigns: CampaignsDep, plans: PlansDep, about: About) -> CampaignOut:
    """Start a plan: drives the servers of its configurations to full load."""
    about(order.plan)
    if campaigns.running:
        raise Conflict(f"The plan {campaigns.status.plan!r} is running.", "Stop it, or wait until it ends.")
    if order.plan not in plans.names():
        names = ", ".join(plans.names()) or "none"
        raise NotFound(f"There is no plan {order.plan[:80]!r}.", f"Plans of this bench: {names}.")
    started = campaigns.start(order.plan)
    about(order.plan, started.campaign_id or "")
    return started


@router.post("/suite", status_code=202)
async def start_suite(order: StartSuite, campaigns: CampaignsDep, about: About) -> CampaignOut:
    """Run a suite of graduated loads on some configurations: drives their servers to full load."""
    about(order.suite)
    started = campaigns.start(suite_plan(find_suite(order.suite), order.configurations, repeats=order.repeats))
    about(order.suite, started.campaign_id or "")
    return started


@router.post("/resume", status_code=202)
async def resume(order: ResumeCampaign, campaigns: CampaignsDep, about: About) -> CampaignOut:
    """Resume a campaign at its first unfinished run: drives its servers to full load."""
    about(order.campaign_id)
    return campaigns.resume(order.campaign_id)


@router.post("/repeat", status_code=202)
async def repeat(order: RepeatRuns, campaigns: CampaignsDep, about: About) -> CampaignOut:
    """Repeat the runs of a campaign that other programs disturbed: drives their servers to full load."""
    about(order.campaign_id)
    return campaigns.repeat_disturbed(order.campaign_id)


@router.post("/stop", status_code=202)
async def stop(campaigns: CampaignsDep, about: About) -> CampaignOut:
    """Stop the load on every host; the current run is kept as aborted."""
    about(*campaign_names(campaigns.status))
    campaigns.stop()
    return campaigns.status


@router.post("/ready", status_code=202)
async def ready(campaigns: CampaignsDep, about: About) -> CampaignOut:
    """Confirm that the operator has installed the configuration that the campaign waits for."""
    about(*campaign_names(campaigns.status))
    campaigns.operator_ready()
    return campaigns.status
