"""A TCP port on loopback: each client has a conversation of its own, and all of them end with the server."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Awaitable, Callable

from wattmark_drivers.speakers.loopback import LOOPBACK, port_refused

Converse = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
STREAM_LIMIT = 65536
"""Longest line or head of a request that a reader collects [bytes]."""


class TcpServer:
    """Has a conversation with every client until stopped; ``port`` 0 takes any free one."""

    def __init__(
        self, converse: Converse, *, port: int = 0, tls: ssl.SSLContext | None = None, limit: int = STREAM_LIMIT
    ) -> None:
        self._converse = converse
        self._port = port
        self._tls = tls
        self._limit = limit
        self._server: asyncio.Server | None = None
        self._conversations: set[asyncio.Task[None]] = set()

    async def start(self) -> int:
        """Listen on loopback and return the port. Raises `ConnectionFailed` when the port is taken."""
        try:
            self._server = await asyncio.start_server(
                self._accept, LOOPBACK, self._port, ssl=self._tls, limit=self._limit
            )
        except OSError as error:
            raise port_refused("TCP", self._port, error) from None
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Close the port and all connections."""
        if self._server is not None:
            self._server.close()
        for conversation in list(self._conversations):
            conversation.cancel()
        await asyncio.gather(*self._conversations, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        conversation = asyncio.ensure_future(self._serve(reader, writer))
        self._conversations.add(conversation)
        conversation.add_done_callback(self._conversations.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            # A client that leaves, or sends what the protocol cannot be, loses its connection and nothing else.
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
                await self._converse(reader, writer)
        finally:
            writer.close()
