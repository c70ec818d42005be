"""One listener to the live view. A slow one loses batches, is informed how many, and never delays others."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Self

from wattmark.core.schema import Schema
from wattmark.recording.views import LiveSamples


@dataclass(frozen=True, slots=True)
class SamplesEvent:
    """A batch of new samples. ``dropped`` counts the batches that this listener has lost since the event before."""

    samples: tuple[LiveSamples, ...]
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class CampaignEvent:
    """Present state of the campaign."""

    campaign: Schema


LiveEvent = SamplesEvent | CampaignEvent


class Subscription(AsyncIterator[LiveEvent]):
    """Iterate over events until the hub closes or shows other channels; then a new snapshot is needed.

    Use as an async context, so that the hub forgets it afterwards.
    """

    def __init__(self, forget: Callable[[Subscription], None], backlog: int) -> None:
        self._forget = forget
        self._batches: deque[tuple[LiveSamples, ...]] = deque(maxlen=backlog)
        self._campaign: Schema | None = None
        self._dropped = 0
        self._closed = False
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._forget(self)
        self.close()

    async def __anext__(self) -> LiveEvent:
        while not (self._closed or self._campaign or self._batches):
            self._wake.clear()
            await self._wake.wait()
        if self._closed:
            raise StopAsyncIteration
        if self._campaign is not None:
            campaign, self._campaign = self._campaign, None
            return CampaignEvent(campaign)
        dropped, self._dropped = self._dropped, 0
        return SamplesEvent(self._batches.popleft(), dropped)

    def offer_samples(self, batch: tuple[LiveSamples, ...]) -> bool:
        """Queue a batch; True when the oldest one was dropped, because the listener is too far behind."""
        full = len(self._batches) == self._batches.maxlen
        self._dropped += full
        self._batches.append(batch)
        self._wake.set()
        return full

    def offer_campaign(self, campaign: Schema) -> None:
        """Queue the campaign's state; only the newest counts."""
        self._campaign = campaign
        self._wake.set()

    def close(self) -> None:
        """Stop the iteration, from any thread."""
        self._closed = True
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake.set)
