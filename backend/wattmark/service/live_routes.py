"""Live values: a snapshot, and a stream that begins with one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from wattmark.alarms.views import AlarmOut
from wattmark.campaigns.status import CampaignOut
from wattmark.core.schema import Schema
from wattmark.recording.live import CampaignEvent, LiveEvent
from wattmark.recording.views import LiveChannel, LiveColumns, LiveSamples
from wattmark.service.deps import ServiceDep
from wattmark.service.service import Service
from wattmark.web.streams import StreamSlot

router = APIRouter(prefix="/api", tags=["live"])
BEAT_S = 1.0
"""A stream is never silent for longer; the web app reports a silence of 3 s."""


async def _ending() -> AsyncIterator[AsyncExitStack]:
    """What ends with the request. A view that is closed leaves its generator at a yield until it is collected."""
    async with AsyncExitStack() as ending:
        yield ending


Ending = Annotated[AsyncExitStack, Depends(_ending)]


class LiveSnapshot(Schema):
    """All live channels; the first event of the stream and the response of GET /api/live."""

    now_s: float
    channels: list[LiveChannel]
    campaign: CampaignOut
    alarm: str | None = None
    """Why samples are not going to disk, and what to do; None while they are."""


class LiveUpdate(Schema):
    """A batch of new samples; event "samples" of the stream, at most ten a second."""

    now_s: float
    channels: list[LiveSamples]
    dropped: int = 0
    """Batches this client lost because it was too slow."""
    alarm: str | None = None


def _snapshot(service: Service) -> LiveSnapshot:
    return LiveSnapshot.model_construct(
        now_s=service.now_s(),
        channels=service.hub.snapshot(),
        campaign=service.campaigns.status,
        alarm=service.alarm,
    )


@router.get("/live", response_model=LiveSnapshot)
async def live(service: ServiceDep) -> Response:
    """Return every live channel with its recent history, shortened for a large bench."""
    return Response(_snapshot(service).model_dump_json(), media_type="application/json")


@router.get("/live/alarms")
async def alarms(service: ServiceDep) -> list[AlarmOut]:
    """List the channels that are outside a limit of the bench, then those that were since the service started."""
    return service.alarms.alarms()


@router.get("/live/history")
async def history(
    service: ServiceDep,
    source: Annotated[str, Query(max_length=200, description="Name of a meter, BMC or host")],
    begin_s: Annotated[float, Query(ge=0, le=9e9, description="Unix seconds")],
    end_s: Annotated[float, Query(ge=0, le=9e9, description="Unix seconds")],
    points: Annotated[int, Query(ge=10, le=2000, description="Columns at most")] = 600,
) -> list[LiveColumns]:
    """Return part of the last day of a source's channels, at most since the start; full resolution for an hour."""
    return service.hub.history(source, begin_s, end_s, points)


@router.get(
    "/live/stream",
    response_class=EventSourceResponse,
    responses={
        200: {
            "model": LiveSnapshot | LiveUpdate | CampaignOut,
            "description": "What the events `snapshot`, `samples` and `campaign` carry",
        }
    },
)
async def stream(service: ServiceDep, _slot: StreamSlot, ending: Ending) -> AsyncIterator[ServerSentEvent]:
    """Stream a snapshot, then batches of samples (at most ten a second) and campaign changes.

    An event `beat` without data follows after a second without any other, and another snapshot when channels appear.
    A client that reconnects also gets one, so it needs no repair.
    """
    while not service.hub.closed:
        events = await ending.enter_async_context(service.hub.subscribe())
        yield ServerSentEvent(event="snapshot", data=_snapshot(service), retry=1000)
        async for event in with_beats(events):
            yield ServerSentEvent(event="beat", data="") if event is None else _event(event, service)
        await ending.aclose()


async def with_beats(events: AsyncIterator[LiveEvent], every_s: float = BEAT_S) -> AsyncIterator[LiveEvent | None]:
    """Pass events on, and None after each time in which there was none [s], so that a page notices a dead service."""
    following = asyncio.ensure_future(anext(events))
    try:
        while True:
            await asyncio.wait({following}, timeout=every_s)
            if not following.done():
                yield None
                continue
            try:
                event = following.result()
            except StopAsyncIteration:
                return
            following = asyncio.ensure_future(anext(events))
            yield event
    finally:
        following.cancel()


def _event(event: LiveEvent, service: Service) -> ServerSentEvent:
    if isinstance(event, CampaignEvent):
        return ServerSentEvent(event="campaign", data=event.campaign)
    update = LiveUpdate.model_construct(
        now_s=service.now_s(), channels=list(event.samples), dropped=event.dropped, alarm=service.alarm
    )
    return ServerSentEvent(event="samples", data=update)
