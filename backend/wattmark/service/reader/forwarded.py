"""The answer of the reader to a request, passed on piece by piece as it comes, as long as somebody waits for it."""

from __future__ import annotations

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import h11
from fastapi import Request, Response
from starlette.types import Receive, Scope, Send

from wattmark.core.errors import WattmarkError
from wattmark.core.request_id import HEADER, request_id
from wattmark.service.reader.keeper import Reader

_PIECE = 64 * 1024
_SENT_ON = (b"accept", b"content-length", b"content-type", b"if-none-match", b"transfer-encoding")
_OF_THE_HOP = frozenset({b"connection", b"date", b"server", b"transfer-encoding"})


class AnswerBroken(WattmarkError):  # noqa: N818
    """The reader ended in the middle of an answer, whose beginning is sent: only the connection can say so."""


class Forwarded(Response):
    """Ask the reader when it is this request's turn, and send what it answers."""

    def __init__(
        self,
        request: Request,
        reader: Reader,
        place: AbstractAsyncContextManager[None],
        headers: Mapping[str, bytes],
        *,
        hold_body: bool,
    ) -> None:
        super().__init__()
        self._request = request
        self._reader = reader
        self._place = place
        self._told = headers
        self._hold_body = hold_body
        self._body_sent = asyncio.Event()

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Send the answer. Raises `WattmarkError` where there is none."""
        body: AsyncIterator[bytes] = self._request.stream()
        if self._hold_body:
            body = _pieces(await self._request.body())
            self._body_sent.set()
        await _unless(self._exchange(body, send), self._hung_up(receive))

    async def _exchange(self, body: AsyncIterator[bytes], send: Send) -> None:
        await self._reader.started()  # a start may take longer than the patience of those who wait for a place
        async with self._place, self._reader.connection() as (stream, writer):
            connection = h11.Connection(h11.CLIENT)
            writer.write(connection.send(self._head()) or b"")
            await _send_body(connection, body, writer)
            self._body_sent.set()
            await _pass_on(connection, stream, send)

    def _head(self) -> h11.Request:
        scope = self._request.scope
        target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        headers = [(name, value) for name, value in scope["headers"] if name in _SENT_ON]
        own = {"Host": b"reader", "Connection": b"close", HEADER: request_id().encode(), **self._told}
        return h11.Request(method=scope["method"], target=target, headers=[*headers, *own.items()])

    async def _hung_up(self, receive: Receive) -> None:
        """Wait until the client has disconnected."""
        await self._body_sent.wait()
        while (await receive())["type"] != "http.disconnect":
            pass


async def _pieces(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def _send_body(connection: h11.Connection, body: AsyncIterator[bytes], writer: StreamWriter) -> None:
    try:
        async for piece in body:
            if piece:
                writer.write(connection.send(h11.Data(piece)) or b"")
                await writer.drain()
        writer.write(connection.send(h11.EndOfMessage()) or b"")
        await writer.drain()
    except ConnectionError:
        connection.send_failed()  # refused before all of it was read: the answer says why


async def _pass_on(connection: h11.Connection, stream: StreamReader, send: Send) -> None:
    begun = False
    while True:
        try:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                connection.receive_data(await stream.read(_PIECE))
                continue
        except (OSError, h11.RemoteProtocolError) as error:
            if begun:
                raise AnswerBroken("The process that reads stored runs ended during an answer.") from error
            raise
        if isinstance(event, h11.Response):
            headers = [(name, value) for name, value in event.headers if name not in _OF_THE_HOP]
            await send({"type": "http.response.start", "status": event.status_code, "headers": headers})
            begun = True
        elif isinstance(event, h11.Data):
            await send({"type": "http.response.body", "body": bytes(event.data), "more_body": True})
        elif isinstance(event, h11.EndOfMessage):
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return


async def _unless(work: Coroutine[Any, Any, None], stopped: Coroutine[Any, Any, None]) -> None:
    """Run some work to its end, or until something else has ended. Raises what the work raises."""
    working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stopped)
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        for task in (working, stopping):
            task.cancel()
        await asyncio.gather(working, stopping, return_exceptions=True)
