"""Where a TP-Link plug is, which of its outlets is meant, and how the conversation is protected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast, get_args
from urllib.parse import SplitResult

from wattmark_drivers.address_parts import host, number, query
from wattmark_drivers.catalogue.declaration import Transport
from wattmark_drivers.catalogue.kasa_map import Cipher
from wattmark_drivers.engine import Scheme
from wattmark_drivers.kasa import xor

CIPHERS: tuple[str, ...] = get_args(Cipher)
MOST_OUTLETS = 16
HTTP_PORT = 80


@dataclass(frozen=True, slots=True)
class KasaAddress:
    """A plug and one of its outlets; port None takes the usual one, cipher None the model's."""

    host: str
    port: int | None = None
    outlet: int = 1
    cipher: Cipher | None = None

    def at(self, cipher: Cipher) -> int:
        """Choose the port."""
        return self.port or (xor.PORT if cipher == "xor" else HTTP_PORT)


def parse_kasa(parts: SplitResult, _transport: Transport) -> KasaAddress:
    """Parse kasa://HOST:PORT/OUTLET?protocol=klap2."""
    cipher = query(parts, "protocol").get("protocol")
    if cipher is not None and cipher not in CIPHERS:
        raise ValueError(f"has an unknown protocol; known are {', '.join(CIPHERS)}")
    text = parts.path.strip("/")
    outlet = number(text, "outlet", 1, MOST_OUTLETS) if text else 1
    return KasaAddress(host(parts), parts.port, outlet, cast("Cipher | None", cipher))


SCHEMES = {"kasa": Scheme("kasa://HOST/OUTLET?protocol=klap2", parse_kasa)}
