"""Cut a byte stream into packets `#c,s,n,a1,...,an;` (Watts Up? protocol 4.41, clause I)."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 1024
"""Most bytes of a packet; the longest of the protocol has about 300."""
_CONTROL = bytes(range(0x20)) + b"\x7f"
_PACKET = re.compile(r"([A-Za-z]),([^,]),(\d{1,3})((?:,[ -~]*)?)")


@dataclass(frozen=True, slots=True)
class Packet:
    """A whole packet: command letter and its arguments."""

    command: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TornPacket:
    """Bytes that began as a packet and are none."""

    text: str


class PacketBuffer:
    """Collects bytes; what lies outside of packets is ignored, control characters everywhere."""

    def __init__(self) -> None:
        self._pending = b""

    def feed(self, data: bytes) -> list[Packet | TornPacket]:
        """Add bytes and return the packets that they complete, in order."""
        *ended, self._pending = (self._pending + data.translate(None, _CONTROL)).split(b";")
        packets: list[Packet | TornPacket] = []
        for chunk in ended:
            packets += _packets(chunk)
        packets += self._trim()
        return packets

    def _trim(self) -> list[Packet | TornPacket]:
        """Keep only what may become a packet; report what is too long for one."""
        start = self._pending.rfind(b"#")
        torn = _lost(self._pending[:start]) if start > 0 else []
        self._pending = self._pending[start:] if start >= 0 else b""
        if len(self._pending) > LONGEST:
            torn += _lost(self._pending)
            self._pending = b""
        return torn


def _packets(chunk: bytes) -> list[Packet | TornPacket]:
    *broken, last = chunk.split(b"#")
    if not broken:
        return []
    return [*_lost(b"#".join(broken)), _parse(last)]


def _lost(chunk: bytes) -> list[Packet | TornPacket]:
    return [TornPacket(part.decode("ascii", "replace")) for part in chunk.split(b"#")[1:]]


def _parse(body: bytes) -> Packet | TornPacket:
    text = body.decode("ascii", "replace")
    match = _PACKET.fullmatch(text)
    if match is None or len(body) >= LONGEST:
        return TornPacket(text)
    arguments = tuple(match[4].split(",")[1:])
    return Packet(match[1], arguments) if len(arguments) == int(match[3]) else TornPacket(text)
