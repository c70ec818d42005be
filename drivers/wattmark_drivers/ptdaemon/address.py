"""Where a power daemon listens, and which of its channels is meant."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult

from wattmark_drivers.address_parts import host, number, query
from wattmark_drivers.catalogue.declaration import Transport
from wattmark_drivers.engine import Scheme

DEFAULT_PORT = 8888
MOST_CHANNELS = 16


@dataclass(frozen=True, slots=True)
class DaemonAddress:
    """A daemon and one of its channels; None: its only channel, or the sum of all."""

    host: str
    port: int
    channel: int | None = None

    @property
    def label(self) -> str:
        """Return what messages call it."""
        return f"the power daemon at {self.host}:{self.port}"


def parse_daemon(parts: SplitResult, transport: Transport) -> DaemonAddress:
    """Parse ptd://HOST:PORT/CHANNEL."""
    query(parts)
    text = parts.path.strip("/")
    channel = number(text, "channel", 1, MOST_CHANNELS) if text else None
    return DaemonAddress(host(parts), parts.port or transport.port or DEFAULT_PORT, channel)


SCHEMES = {"ptd": Scheme("ptd://HOST:8888/CHANNEL", parse_daemon)}
