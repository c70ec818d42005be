"""Live values: a snapshot, and a stream that begins with one."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import APIRouter
from fastapi.sse import EventSourceResponse, ServerSentEvent

from wattmark.api.appliance import ApplianceDep
from wattmark.api.schemas import LiveSnapshot, LiveUpdate
from wattmark.api.streams import StreamSlot
from wattmark.appliance.appliance import Appliance
from wattmark.recording.live import CampaignEvent, LiveEvent

router = APIRouter(prefix="/api", tags=["live"])


def _snapshot(appliance: Appliance) -> LiveSnapshot:
    return LiveSnapshot(
        now_s=appliance.now_s(),
        channels=appliance.hub.snapshot(),
        campaign=appliance.campaigns.status,
        alarm=appliance.alarm,
    )


@router.get("/live")
async def live(appliance: ApplianceDep) -> LiveSnapshot:
    """Give every live channel with its recent history."""
    return _snapshot(appliance)


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
    update = LiveUpdate(
        now_s=appliance.now_s(), channels=list(event.samples), dropped=event.dropped, alarm=appliance.alarm
    )
    return ServerSentEvent(event="samples", data=update)
