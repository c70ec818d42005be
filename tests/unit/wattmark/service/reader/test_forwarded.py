"""Requests that come while the reader starts wait for it, not for the places of those that it answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from fastapi import Request
from wattmark.service.reader.forwarded import Forwarded
from wattmark.service.reader.lane import Lane

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class SlowStart:
    """A reader that is there only when the test says so, and then answers at once."""

    def __init__(self) -> None:
        self.there = asyncio.Event()

    async def started(self) -> None:
        await self.there.wait()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[tuple[asyncio.StreamReader, Any]]:
        await self.there.wait()
        stream = asyncio.StreamReader()
        stream.feed_data(ANSWER)
        stream.feed_eof()
        yield stream, Sink()


class Sink:
    def write(self, content: bytes) -> None: ...

    async def drain(self) -> None: ...


def request() -> Request:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": "GET", "path": "/", "raw_path": b"/", "query_string": b"", "headers": []}
    return Request(scope, receive)


async def test_a_start_longer_than_the_patience_for_a_place_refuses_nobody() -> None:
    reader, lane = SlowStart(), Lane(most=1, each=1, patience_s=0.01)
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message.get("status"))

    async def never() -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            answer = Forwarded(request(), reader, lane.place("a client"), {}, hold_body=True)  # type: ignore[arg-type]
            tasks.start_soon(answer, {}, never, send)
        await asyncio.sleep(0.05)
        reader.there.set()
    assert sent.count(200) == 3
    assert lane.refused == 0
