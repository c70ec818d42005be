"""What a speaker that stands on a network is told: whom it stands for, where it listens, who may ask; and who asks."""

from __future__ import annotations

import ssl
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.loopback import LOOPBACK

Absent = Literal["waiting", "stale", "lost", "over-range", "not-accepted"]
"""Why there is no reading: none came yet, the last one is too old, the meter is gone, its range is exceeded, or what
it said cannot be a reading."""
REASONS: dict[Absent, str] = {
    "waiting": "The meter has given no reading yet.",
    "stale": "The last reading of the meter is too old.",
    "lost": "The meter does not answer.",
    "over-range": "The range of the meter is exceeded.",
    "not-accepted": "What the meter said was not accepted as a reading.",
}
"""For people, where a protocol has room for it."""
ANY_ADDRESS = ("", "0.0.0.0", "::")  # noqa: S104 - recognised here, not listened on
MOST_PEERS = 256
"""Addresses that are remembered; of more the one that asked longest ago is forgotten."""


@dataclass(frozen=True, slots=True)
class Face:
    """What a speaker says of the device that it stands for, in the fields that its protocol has."""

    maker: str
    model: str
    """Such as "gateway to Yokogawa WT310E"."""
    serial: str
    """Of the meter behind it; empty where it has none."""
    firmware: str
    """Version of wattmark."""
    simulated: bool
    """The mark SIMULATED appears exactly if this is true."""

    def marked(self, text: str) -> str:
        """Return a text about the meter behind, after the mark where that is simulated and the text has none."""
        return f"{SIMULATOR_MARK} {text}".strip() if self.simulated and not text.startswith(SIMULATOR_MARK) else text


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a client must know; the password is read when it is needed, and never logged."""

    username: str
    password: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Doorway:
    """Where a speaker listens, to whom, and to how many at once.

    Without credentials a simulated device makes a random password; a speaker with a face is open where its protocol
    can be, and refuses to start where it cannot.
    """

    address: str = LOOPBACK
    most_clients: int = 64
    credentials: Credentials | None = None
    tls: ssl.SSLContext | None = None

    @property
    def host(self) -> str:
        """Return the host of an address with which a client on this machine reaches it."""
        if self.address in ANY_ADDRESS:
            return LOOPBACK
        return f"[{self.address}]" if ":" in self.address else self.address


NEWCOMERS = 8
"""One place of so many is kept from peers that are here already, or one of them could shut out all others."""


def places_for(most_clients: int, *, is_here: bool) -> int:
    """Return for how many clients there is room; the last places are for peers that have none yet."""
    return most_clients - (most_clients // NEWCOMERS if is_here else 0)


@dataclass(slots=True)
class Asker:
    """A peer: how often it asked, when first and last [UTC ns], and how often it was refused."""

    peer: str
    requests: int
    refused: int
    first_ns: int
    last_ns: int


class Askers:
    """Who asks a speaker, by the address of the peer."""

    def __init__(self, now_ns: Callable[[], int] = time.time_ns) -> None:
        self._now_ns = now_ns
        self._peers: OrderedDict[str, Asker] = OrderedDict()
        self.refused = 0
        """How often any peer was refused, those that are forgotten included."""

    def asked(self, peer: str) -> None:
        """Count a request."""
        self._count(peer, requests=1)

    def refuse(self, peer: str) -> None:
        """Count a connection or a request that was refused."""
        self.refused += 1
        self._count(peer, refused=1)

    def view(self) -> list[Asker]:
        """List the peers as they are now, the one that asked last first."""
        return [replace(peer) for peer in reversed(self._peers.values())]

    def _count(self, peer: str, *, requests: int = 0, refused: int = 0) -> None:
        now_ns = self._now_ns()
        seen = self._peers.get(peer)
        if seen is None:
            if len(self._peers) >= MOST_PEERS:
                self._peers.popitem(last=False)
            seen = self._peers[peer] = Asker(peer, 0, 0, now_ns, now_ns)
        self._peers.move_to_end(peer)
        seen.requests += requests
        seen.refused += refused
        seen.last_ns = now_ns
