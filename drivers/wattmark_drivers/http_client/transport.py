"""Bound what a device may send: nothing compressed, and no body without end."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

LONGEST_BODY = 1 << 20
"""No document of a plug or a BMC comes near this [bytes]."""


class TooMuch(Exception):  # noqa: N818 - never leaves the client
    """The device sent a body that is longer than any reading, or a compressed one."""


class BoundedTransport(httpx2.AsyncHTTPTransport):
    """The ordinary transport with every body bounded, also those that the library reads by itself."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request. The body of the answer raises `TooMuch` when it grows too long."""
        response = await super().handle_async_request(request)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise TooMuch
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Bounded(response.stream)
        return response


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for chunk in self._stream:
            length += len(chunk)
            if length > LONGEST_BODY:
                raise TooMuch
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
