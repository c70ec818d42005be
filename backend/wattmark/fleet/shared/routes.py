"""What lies in the store of a fleet, and copies of it."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field

from wattmark.access.http.about import About
from wattmark.access.http.permissions import may_decide
from wattmark.archives.outcome import Restoration
from wattmark.archives.views import SharedOut
from wattmark.campaigns.running import Campaigns
from wattmark.core.inputs import FILLED_LINE, Input
from wattmark.fleet.shared.shared_store import SharedStore
from wattmark.web.provided import provided
from wattmark.web.spooled import SpoolDep
from wattmark.web.stored import StoredRoute
from wattmark.web.waited import run_while_wanted

router = APIRouter(prefix="/api/store", tags=["store"], route_class=StoredRoute)
CampaignsDep = Annotated[Campaigns, provided(Campaigns)]
SharedStoreDep = Annotated[SharedStore, provided(SharedStore)]


class CopyRun(Input):
    """Request to copy a run from the shared store."""

    run_id: Annotated[str, Field(min_length=1, max_length=500), FILLED_LINE]


@router.get("/shared")
def shared(
    shared: SharedStoreDep,
    days: Annotated[int, Query(ge=1, le=36_500, description="How far back to look [days]")] = 30,
    limit: Annotated[int, Query(ge=1, le=10_000, description="As many runs at most")] = 200,
    after: Annotated[str | None, Query(max_length=500, description="Continue behind this run")] = None,
) -> SharedOut:
    """List the finished runs in the store of the fleet; 503 in words where it does not answer."""
    return shared.out(days, limit, after)


@router.post("/shared/copy", status_code=201)
async def copy_shared(
    order: CopyRun, request: Request, campaigns: CampaignsDep, shared: SharedStoreDep, spool: SpoolDep, about: About
) -> Restoration:
    """Bring a run of the shared store here, with its samples, and recompute its result, as an archive of it would.

    Only an administrator can import new certificates and overrides.
    """
    about(order.run_id)
    campaigns.require_rest()
    with spool.open() as file, spool.explaining_errors():
        copy = partial(shared.copy, order.run_id, file, decides=may_decide(request), alone=campaigns.kept_from_starting)
        return await run_while_wanted(request, copy)
