"""A stream without events has beats, and loses none of the events between them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from wattmark.service.live_routes import with_beats


async def paced(*pauses_s: float) -> AsyncIterator[Any]:
    for number, pause_s in enumerate(pauses_s):
        await asyncio.sleep(pause_s)
        yield number


async def test_a_silent_time_has_beats_and_every_event_comes_once() -> None:
    got = [event async for event in with_beats(paced(0.0, 0.2, 0.0), every_s=0.05)]
    assert [event for event in got if event is not None] == [0, 1, 2]
    assert got[:2] == [0, None]
    assert None not in got[-2:]


async def test_the_wait_for_the_next_event_ends_with_the_stream() -> None:
    ended = asyncio.Event()

    async def slow() -> AsyncIterator[Any]:
        try:
            yield 0
            await asyncio.sleep(60)
            yield 1
        finally:
            ended.set()

    stream = with_beats(slow(), every_s=0.01)
    assert await anext(stream) == 0
    assert await anext(stream) is None
    await stream.aclose()  # type: ignore[attr-defined]
    await asyncio.wait_for(ended.wait(), 5)
