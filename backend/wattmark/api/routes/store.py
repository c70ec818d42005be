"""Where recorded samples are sent beside the data folder, and what lies there of all that send."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Request

from wattmark.api.about import About
from wattmark.api.appliance import ApplianceDep
from wattmark.api.permissions import may_decide
from wattmark.api.schemas import CopyRun
from wattmark.api.spooled import SpoolDep
from wattmark.api.stored import StoredRoute
from wattmark.archives.views import RestorationOut, SharedOut
from wattmark.errors import Conflict
from wattmark.influx.views import SinkOut

router = APIRouter(prefix="/api/store", tags=["store"], route_class=StoredRoute)


@router.get("/sink")
def sink(appliance: ApplianceDep) -> SinkOut:
    """Tell how the sending to another server stands: what waits, what was refused, and what keeps it from sending."""
    return appliance.sink.out()


@router.get("/shared")
def shared(
    appliance: ApplianceDep,
    days: Annotated[int, Query(ge=1, le=36_500, description="How far back to look [days]")] = 30,
    limit: Annotated[int, Query(ge=1, le=10_000, description="As many runs at most")] = 200,
    after: Annotated[str | None, Query(max_length=500, description="Continue behind this run")] = None,
) -> SharedOut:
    """Ask the server that many appliances send to for their finished runs; 503 in words where it does not answer."""
    return appliance.shared.out(days, limit, after)


@router.post("/shared/copy", status_code=201)
def copy_shared(
    order: CopyRun, request: Request, appliance: ApplianceDep, spool: SpoolDep, about: About
) -> RestorationOut:
    """Bring a run of the shared store here, with its samples, and recompute its result, as an archive of it would.

    Only an administrator may bring in certificates and overrides that are not here yet.
    """
    about(order.run_id)
    if appliance.campaigns.running:
        raise Conflict("A campaign is running; its samples come first.", "Wait for its end, or stop it.")
    with spool.open() as file, spool.told():
        done = appliance.shared.copy(order.run_id, file, decides=may_decide(request))
    return RestorationOut.model_validate(asdict(done))
