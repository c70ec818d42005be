"""A TCP port: each client has a conversation of its own, and all of them end with the server."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from wattmark_drivers.speakers.face import Askers, Doorway, places_for
from wattmark_drivers.speakers.loopback import LOOPBACK, port_refused
from wattmark_drivers.speakers.pace import Pace
from wattmark_drivers.speakers.wrong_logins import WrongLogins

Converse = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
STREAM_LIMIT = 65536
"""Longest line or head of a request that a reader collects [bytes]."""
HANDSHAKE_S = 10.0
"""A client that does not finish the handshake of TLS by then loses its connection."""
IDLE_S = 120.0
"""A client without a whole request for so long loses its connection; many poll each minute."""
LOOKS = 8
"""How often within that time idle clients are looked for."""
REFUSAL_PAUSE_S = 0.005
"""Between two connections that are refused, so that a storm of them costs little."""
RESTED_S = 0.2
"""Until the next attempt where the system has no file descriptor left."""
FAREWELL_S = 5.0
"""A client that does not take its last answer by then loses it."""
BACKLOG = 100
LOST = (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError)
PEER_PER_S, PEER_AT_ONCE = 100.0, 50.0
"""Requests of one peer that are answered without delay; those at once hold up the others."""


@dataclass(slots=True)
class _Client:
    """A connection: whose, and when its last whole request came [s of the event loop]."""

    peer: str
    transport: asyncio.WriteTransport
    heard_s: float


class TcpServer:
    """Has a conversation with every client until stopped; ``port`` 0 takes any free one.

    With a ``door`` it listens there, to no more clients at once than it says, and each that is idle or too quick is put
    off: for that, a conversation calls `asked` at each whole request. Without one it serves any number on loopback.
    """

    def __init__(
        self,
        converse: Converse,
        *,
        port: int = 0,
        tls: ssl.SSLContext | None = None,
        limit: int = STREAM_LIMIT,
        door: Doorway | None = None,
        askers: Askers | None = None,
        idle_s: float | None = IDLE_S,
    ) -> None:
        self._converse = converse
        self._port = port
        self._tls = tls
        self._limit = limit
        self._door = door
        self._askers = askers or Askers()
        self._idle_s = idle_s if door else None
        self._pace = Pace(PEER_PER_S, PEER_AT_ONCE) if door else None
        self._wrong = WrongLogins(door.most_clients) if door else None
        self._listener: socket.socket | None = None
        self._keeping: list[asyncio.Task[None]] = []
        self._conversations: dict[asyncio.Task[None], str] = {}
        """With the address of the peer."""
        self._clients: dict[asyncio.StreamWriter, _Client] = {}

    @property
    def clients(self) -> int:
        """Count the clients that are connected."""
        return len(self._conversations)

    async def start(self) -> int:
        """Listen and return the port. Raises `ConnectionFailed` when the port is taken."""
        address = self._door.address if self._door else LOOPBACK
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            self._listener = socket.create_server((address, self._port), family=family, backlog=BACKLOG)
        except OSError as error:
            raise port_refused("TCP", self._port, error, address) from None
        self._listener.setblocking(False)
        self._keeping = [asyncio.create_task(self._accept(self._listener), name="accepting")]
        if self._idle_s is not None:
            self._keeping.append(asyncio.create_task(self._cut_off(self._idle_s), name="cutting off the idle"))
        return int(self._listener.getsockname()[1])

    @property
    def upkeep(self) -> Sequence[asyncio.Task[None]]:
        """List the tasks that go on as long as it listens."""
        return self._keeping

    async def stop(self) -> None:
        """Close the port and all connections."""
        tasks = [*self._conversations, *self._keeping]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._listener is not None:
            self._listener.close()

    async def asked(self, writer: asyncio.StreamWriter) -> None:
        """Count a whole request of a client, and wait where its peer asks too often."""
        client = self._clients[writer]
        self._askers.asked(client.peer)
        client.heard_s = asyncio.get_running_loop().time()
        wait_s = self._pace.spend(client.peer) if self._pace else 0.0
        if wait_s > 0:
            await asyncio.sleep(wait_s)

    async def refuse(self, writer: asyncio.StreamWriter, login: bytes) -> None:
        """Count a wrong login of a client, and wait where its peer has tried many."""
        peer = self._clients[writer].peer
        self._askers.refuse(peer)
        wait_s = self._wrong.wait_s(peer, login) if self._wrong else 0.0
        if wait_s > 0:
            await asyncio.sleep(wait_s)

    async def _cut_off(self, idle_s: float) -> None:
        """Cut off who has asked nothing whole for so long."""
        while True:
            await asyncio.sleep(idle_s / LOOKS)
            oldest_s = asyncio.get_running_loop().time() - idle_s
            for client in [*self._clients.values()]:
                if client.heard_s < oldest_s:
                    client.transport.abort()

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, address = await loop.sock_accept(listener)
            except OSError:
                await asyncio.sleep(RESTED_S)
                continue
            is_here = address[0] in self._conversations.values()
            if self._door and len(self._conversations) >= places_for(self._door.most_clients, is_here=is_here):
                self._askers.refuse(address[0])
                connection.close()
                await asyncio.sleep(REFUSAL_PAUSE_S)
                continue
            conversation = asyncio.create_task(self._serve(connection, address[0]))
            self._conversations[conversation] = address[0]
            conversation.add_done_callback(partial(self._forget, connection))

    def _forget(self, connection: socket.socket, ended: asyncio.Task[None]) -> None:
        self._conversations.pop(ended, None)
        connection.close()  # of a conversation that was cancelled before it began nobody else does

    async def _serve(self, connection: socket.socket, peer: str) -> None:
        # A client that leaves, or sends what the protocol cannot be, loses its connection and nothing else.
        with contextlib.suppress(*LOST):
            reader, writer = await self._welcome(connection)
            self._clients[writer] = _Client(peer, writer.transport, asyncio.get_running_loop().time())
            try:
                with contextlib.suppress(*LOST):
                    await self._converse(reader, writer)
                writer.close()
                async with asyncio.timeout(FAREWELL_S):
                    await writer.wait_closed()
            finally:
                del self._clients[writer]
                writer.transport.abort()

    async def _welcome(self, connection: socket.socket) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=self._limit)
        protocol = asyncio.StreamReaderProtocol(reader)
        transport, _ = await loop.connect_accepted_socket(
            lambda: protocol,
            connection,
            ssl=self._tls,
            ssl_handshake_timeout=HANDSHAKE_S if self._tls else None,
        )
        return reader, asyncio.StreamWriter(transport, protocol, reader, loop)
