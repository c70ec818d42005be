"""Where recorded samples are sent beside the data folder."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter

from wattmark.fleet.sending.sinks import Sinks
from wattmark.fleet.sending.views import SinksOut
from wattmark.web.provided import provided
from wattmark.web.stored import StoredRoute

router = APIRouter(prefix="/api/store", tags=["store"], route_class=StoredRoute)
SinksDep = Annotated[Sinks, provided(Sinks)]


@router.get("/sink")
def sink(sinks: SinksDep) -> SinksOut:
    """Return how the sending to other servers stands: what waits, what was refused, and what keeps it from sending."""
    return sinks.out()
