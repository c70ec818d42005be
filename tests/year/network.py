"""TCP in memory: connections whose bytes take time, wait, or never arrive."""

from __future__ import annotations

import asyncio
import errno
import os
import random
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.year.loop import SimulatedLoop

LATENCY_S = (0.0002, 0.003)
HANDSHAKE_PATIENCE_S = 120.0
"""As long as Linux tries to connect to a host that does not answer, roughly (tcp(7), tcp_syn_retries)."""
FIRST_PORT = 20_001
HOST = "127.0.0.1"


class Socket:
    """One end of a connection before it has a protocol."""

    def __init__(self, end: End) -> None:
        self._end = end

    def attach(self, factory: Callable[[], asyncio.BaseProtocol]) -> tuple[End, asyncio.BaseProtocol]:
        """Give the end its protocol."""
        protocol = factory()
        self._end.begin(protocol)
        return self._end, protocol

    def close(self) -> None:
        """Close the end if nobody attached it."""
        if not self._end.begun:
            self._end.abort()


class Listener:
    """A port that somebody listens on."""

    def __init__(self, network: Network, port: int) -> None:
        self._network = network
        self.port = port
        self._waiting: deque[Socket] = deque()
        self._wake = asyncio.Event()

    def setblocking(self, _: bool) -> None:
        """Block never."""

    def getsockname(self) -> tuple[str, int]:
        return HOST, self.port

    def offer(self, socket: Socket) -> None:
        """Hand a client to who accepts."""
        self._waiting.append(socket)
        self._wake.set()

    async def accept(self) -> tuple[Socket, tuple[str, int]]:
        """Wait for a client."""
        while not self._waiting:
            self._wake.clear()
            await self._wake.wait()
        return self._waiting.popleft(), (HOST, 0)

    def close(self) -> None:
        self._network.forget(self)


class Link:
    """The way to one port: what happens to bytes that travel it."""

    def __init__(self) -> None:
        self.latency_s = LATENCY_S
        self.held_until_ns = 0
        """Bytes and handshakes under way arrive no earlier: packets are lost and sent again."""
        self.refuses = False
        """The device is up and nobody listens."""
        self.unplugged = False
        self._undelivered: list[tuple[End, bytes | None]] = []

    def unplug(self) -> None:
        """Let nothing arrive any more until it is plugged in; nobody is told."""
        self.unplugged = True

    def plug_in(self) -> None:
        """Let packets travel again, beginning with those that TCP has sent in vain."""
        self.unplugged = False
        undelivered, self._undelivered = self._undelivered, []
        for end, data in undelivered:
            end.arrive(data)

    def keep(self, end: End, data: bytes | None) -> None:
        """Keep a packet that does not arrive."""
        self._undelivered.append((end, data))


class Network:
    """All ports of one machine's loopback, which stands for the lab's wire."""

    def __init__(self, loop: SimulatedLoop, chance: random.Random) -> None:
        self._loop = loop
        self._chance = chance
        self._listeners: dict[int, Listener] = {}
        self._links: dict[int, Link] = {}
        self._ends: dict[End, int] = {}
        """Open ends of clients, with the port they are connected to; a dict, for its order repeats."""
        self._next_port = FIRST_PORT

    def listen(self, address: tuple[str, int], **_: Any) -> Listener:
        """Stand for `socket.create_server`."""
        port = address[1] or self._next_port
        self._next_port = max(self._next_port, port) + 1
        if port in self._listeners:
            raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
        listener = self._listeners[port] = Listener(self, port)
        return listener

    def link(self, port: int) -> Link:
        """Return the way to a port."""
        return self._links.setdefault(port, Link())

    @property
    def connections(self) -> int:
        """Count the open connections."""
        return len(self._ends)

    def reset(self, port: int) -> int:
        """Break every connection to a port at once; return how many."""
        broken = [end for end, to in self._ends.items() if to == port]
        for end in broken:
            end.break_off(ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET)))
        return len(broken)

    def forget(self, listener: Listener) -> None:
        """Take a closed port away."""
        if self._listeners.get(listener.port) is listener:
            del self._listeners[listener.port]

    def forget_end(self, end: End) -> None:
        """Take a closed end away."""
        self._ends.pop(end, None)

    async def connect(self, factory: Callable[[], asyncio.BaseProtocol], host: str, port: int) -> tuple[End, Any]:
        """Connect to a port. Raises OSError."""
        link = self.link(port)
        begun_ns = self._loop.now_ns
        await asyncio.sleep(self.travel_s(link))
        while link.unplugged or self._loop.now_ns < link.held_until_ns:
            if self._loop.now_ns - begun_ns > HANDSHAKE_PATIENCE_S * 1e9:
                raise TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
            await asyncio.sleep(1.0)
        listener = self._listeners.get(port)
        if listener is None or link.refuses:
            raise ConnectionRefusedError(errno.ECONNREFUSED, f"Connect call failed ('{host}', {port})")
        near, far = self.pair(link)
        self._ends[near] = port
        listener.offer(Socket(far))
        return near, Socket(near).attach(factory)[1]

    def pair(self, link: Link | None = None) -> tuple[End, End]:
        """Make both ends of a connection."""
        link = link or Link()
        near, far = End(self._loop, self, link), End(self._loop, self, link)
        near.peer, far.peer = far, near
        return near, far

    def travel_s(self, link: Link) -> float:
        """Draw how long a packet takes."""
        return self._chance.uniform(*link.latency_s)


class End(asyncio.Transport):
    """One end of a connection."""

    def __init__(self, loop: SimulatedLoop, network: Network, link: Link) -> None:
        super().__init__()
        self._loop = loop
        self._network = network
        self._link = link
        self.peer: End = self
        self._protocol: Any = None
        self._early: list[bytes | None] = []
        """What arrived before there was a protocol; None: the other end closed."""
        self._last_ns = 0
        """When the last packet to this end arrives; the next one does not overtake it."""
        self._closing = self._lost = self._paused = False
        self._held: list[bytes | None] = []

    @property
    def begun(self) -> bool:
        """Return whether it has a protocol."""
        return self._protocol is not None

    def begin(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol
        protocol.connection_made(self)
        early, self._early = self._early, []
        for data in early:
            self._loop.call_soon(self._take, data)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return (HOST, 0) if name == "peername" else default

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        protocol: asyncio.BaseProtocol = self._protocol
        return protocol

    def is_closing(self) -> bool:
        return self._closing

    def is_reading(self) -> bool:
        return not self._paused

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        held, self._held = self._held, []
        for data in held:
            self._loop.call_soon(self._take, data)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Buffer any amount."""

    def get_write_buffer_size(self) -> int:
        return 0

    def can_write_eof(self) -> bool:
        return False

    def write(self, data: Any) -> None:
        if not self._lost and not self._closing and data:
            self.peer.arrive(bytes(data))

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self.peer.arrive(None)
            self._loop.call_soon(self._lose, None)

    def abort(self) -> None:
        self.close()

    def break_off(self, error: Exception) -> None:
        """End both sides at once, as a reset does."""
        for end in (self, self.peer):
            end._closing = True
            self._loop.call_soon(end._lose, error)

    def arrive(self, data: bytes | None) -> None:
        """Send a packet to this end; None: the other one has closed."""
        link, now_ns = self._link, self._loop.now_ns
        if link.unplugged:
            link.keep(self, data)
            return
        at_ns = max(now_ns + round(self._network.travel_s(link) * 1e9), self._last_ns + 1, link.held_until_ns)
        self._last_ns = at_ns
        self._loop.call_at(at_ns / 1e9, self._take, data)

    def _take(self, data: bytes | None) -> None:
        if self._lost or self._closing:
            return
        if self._protocol is None:
            self._early.append(data)
        elif self._paused:
            self._held.append(data)
        elif data is not None:
            self._protocol.data_received(data)
        elif not self._protocol.eof_received():
            self.close()

    def _lose(self, error: Exception | None) -> None:
        self._network.forget_end(self)
        if not self._lost:
            self._lost = True
            if self._protocol is not None:
                self._protocol.connection_lost(error)
