"""Live values: a snapshot, and a stream that begins with one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from wattmark.alarms.views import LimitAlarm
from wattmark.api.appliance import ApplianceDep
from wattmark.api.schemas import LiveSnapshot, LiveUpdate
from wattmark.api.streams import StreamSlot
from wattmark.appliance.appliance import Appliance
from wattmark.recording.live import CampaignEvent, LiveEvent
from wattmark.recording.views import LiveColumns

router = APIRouter(prefix="/api", tags=["live"])


def _snapshot(appliance: Appliance) -> LiveSnapshot:
    return LiveSnapshot.model_construct(
        now_s=appliance.now_s(),
        channels=appliance.hub.snapshot(),
        campaign=appliance.campaigns.status,
        alarm=appliance.alarm,
    )


@router.get("/live", response_model=LiveSnapshot)
async def live(appliance: ApplianceDep) -> Response:
    """Give every live channel with its recent history; of a large bench, with less of it."""
    return Response(_snapshot(appliance).model_dump_json(), media_type="application/json")


@router.get("/live/alarms")
async def alarms(appliance: ApplianceDep) -> list[LimitAlarm]:
    """List the channels that are beyond a limit of the bench, then those that were since the service began."""
    return appliance.alarms.alarms()


@router.get("/live/history")
async def history(
    appliance: ApplianceDep,
    source: Annotated[str, Query(max_length=200, description="Name of a meter, BMC or host")],
    begin_s: Annotated[float, Query(ge=0, le=9e9, description="Unix seconds")],
    end_s: Annotated[float, Query(ge=0, le=9e9, description="Unix seconds")],
    points: Annotated[int, Query(ge=10, le=2000, description="Columns at most")] = 600,
) -> list[LiveColumns]:
    """Give a stretch of the last day of a source's channels, kept since the service began: seconds for an hour."""
    return appliance.hub.history(source, begin_s, end_s, points)


@router.get("/live/stream", response_class=EventSourceResponse)
async def stream(appliance: ApplianceDep, _slot: StreamSlot) -> AsyncIterator[ServerSentEvent]:
    """Stream a snapshot, then batches of samples (at most ten a second) and campaign changes.

    Another snapshot follows when channels appear; a client that reconnects gets one, so nothing has to be repaired.
    """
    while not appliance.hub.closed:
        async with appliance.hub.subscribe() as events:
            yield ServerSentEvent(event="snapshot", data=_snapshot(appliance), retry=1000)
            async for event in events:
                yield _event(event, appliance)


def _event(event: LiveEvent, appliance: Appliance) -> ServerSentEvent:
    if isinstance(event, CampaignEvent):
        return ServerSentEvent(event="campaign", data=event.campaign)
    update = LiveUpdate.model_construct(
        now_s=appliance.now_s(), channels=list(event.samples), dropped=event.dropped, alarm=appliance.alarm
    )
    return ServerSentEvent(event="samples", data=update)
