"""Passes RMCP messages between clients on a network and ipmi_sim on loopback: bounded, counted, and checked first."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter, OrderedDict
from dataclasses import dataclass

from wattmark_drivers.speakers.face import Askers, Doorway, places_for
from wattmark_drivers.speakers.loopback import LOOPBACK, port_refused
from wattmark_drivers.speakers.pace import Pace

LONGEST_DATAGRAM = 1024
"""A message of IPMI carries at most 255 bytes of data beside its headers."""
SHORTEST_DATAGRAM = 8
RMCP_VERSION = 0x06
CLASSES = (0x06, 0x07)
"""ASF, with which clients look for a BMC, and IPMI (IPMI 2.0, 13.1.3)."""
SILENT_S = 1.0
"""Where there is no place left, a client that is silent for so long makes one, and so does the one that is silent for
longest of a peer with several. It is let in again with its next message: ipmi_sim knows sessions by their numbers."""
RMCP_PLUS, OPEN_SESSION, PAYLOAD_TYPE = 0x06, 0x10, 0x3F
PAYLOAD = 16
"""Where the payload of a message outside a session begins (IPMI 2.0, table 13-8)."""
HIGHEST, ADMINISTRATOR = 0, 4
PEER_PER_S, PEER_AT_ONCE = 100.0, 300.0
"""Messages of one peer: a client that lists sensors and inventory sends some hundreds, one after another."""
Address = tuple[str, int]


@dataclass(slots=True)
class _Client:
    inner: socket.socket
    """Its own socket to ipmi_sim, which knows clients by their ports."""
    heard_s: float


class Relay(asyncio.DatagramProtocol):
    """A UDP port before ipmi_sim."""

    def __init__(self, door: Doorway, askers: Askers) -> None:
        self._door = door
        self._askers = askers
        self._inner_port = 0
        self._pace = Pace(PEER_PER_S, PEER_AT_ONCE)
        self._clients: OrderedDict[Address, _Client] = OrderedDict()
        self._outer: asyncio.DatagramTransport | None = None

    async def start(self, port: int, inner_port: int) -> int:
        """Listen at the door and return the port. Raises `ConnectionFailed` when the port is taken."""
        self._inner_port = inner_port
        loop = asyncio.get_running_loop()
        try:
            outer, _ = await loop.create_datagram_endpoint(lambda: self, local_addr=(self._door.address, port))
        except OSError as error:
            raise port_refused("UDP", port, error, self._door.address) from None
        self._outer = outer
        return int(outer.get_extra_info("sockname")[1])

    def stop(self) -> None:
        """Close the port, and forget all clients."""
        if self._outer is not None:
            self._outer.close()
        for address in [*self._clients]:
            self._forget(address)

    def datagram_received(self, data: bytes, address: tuple[str, int]) -> None:
        """Pass a message of a client on, or drop and count it."""
        peer = str(address[0])
        client = self._client(address) if is_rmcp(data) and self._pace.spend(peer) == 0 else None
        if client is None:
            self._askers.refuse(peer)
            return
        self._askers.asked(peer)
        try:
            client.inner.send(with_privilege(data))
        except OSError:
            # ipmi_sim is being started again: the client asks once more, as for any message that is lost.
            return

    def _client(self, address: Address) -> _Client | None:
        """Find a client or let it in; None where there is no place."""
        now_s = asyncio.get_running_loop().time()
        client = self._clients.get(address)
        if client is None:
            if not self._make_place(address[0], now_s):
                return None
            client = self._clients[address] = _Client(self._connect(address), now_s)
        client.heard_s = now_s
        self._clients.move_to_end(address)
        return client

    def _make_place(self, peer: str, now_s: float) -> bool:
        """Make a place for one more client of a peer; False where others have better claims to all of them.

        The last places are for peers that have none yet: no peer, and nobody who speaks in its name, takes them all.
        """
        places = Counter(host for host, _ in self._clients)
        if len(self._clients) < places_for(self._door.most_clients, is_here=peer in places):
            return True
        (greediest, most), *_ = places.most_common(1)
        owner = greediest if most > places[peer] + 1 else peer if peer in places else None
        oldest = next(address for address in self._clients if owner in (None, address[0]))
        is_silent = now_s - self._clients[oldest].heard_s >= SILENT_S
        if not is_silent and owner in (None, peer):
            return False
        self._forget(oldest)
        return True

    def _connect(self, address: Address) -> socket.socket:
        inner = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        inner.setblocking(False)
        inner.connect((LOOPBACK, self._inner_port))
        asyncio.get_running_loop().add_reader(inner, self._back, inner, address)
        return inner

    def _back(self, inner: socket.socket, address: Address) -> None:
        try:
            data = inner.recv(LONGEST_DATAGRAM)
        except OSError:
            return
        if self._outer is not None and not self._outer.is_closing():
            self._outer.sendto(data, address)

    def _forget(self, address: Address) -> None:
        client = self._clients.pop(address)
        asyncio.get_running_loop().remove_reader(client.inner)
        client.inner.close()


def is_rmcp(data: bytes) -> bool:
    """Return whether a datagram can be a message to a BMC (IPMI 2.0, 13.1.3)."""
    if not SHORTEST_DATAGRAM <= len(data) <= LONGEST_DATAGRAM:
        return False
    return data[0] == RMCP_VERSION and data[3] in CLASSES


def with_privilege(data: bytes) -> bytes:
    """Name the privilege in a request to open a session that asks for the highest (IPMI 2.0, table 13-9).

    FreeIPMI asks so, and ipmi_sim opens no session then.
    """
    place = PAYLOAD + 1
    opens = len(data) > place and data[4] == RMCP_PLUS and data[5] & PAYLOAD_TYPE == OPEN_SESSION
    if not opens or data[place] & 0x0F != HIGHEST:
        return data
    return data[:place] + bytes([data[place] | ADMINISTRATOR]) + data[place + 1 :]
