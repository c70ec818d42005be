"""Where a plug is, and which of its outputs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from urllib.parse import SplitResult

from wattmark_drivers.address_parts import number, query
from wattmark_drivers.catalogue.declaration import Transport
from wattmark_drivers.engine import Scheme
from wattmark_drivers.http_client.origin import TLS_KEYS, Origin, parse_origin

MOST_OUTPUTS = 255


@dataclass(frozen=True, slots=True)
class PlugAddress:
    """A plug and one of its outputs; None takes its first."""

    origin: Origin
    output: int | None = None


def parse_plug(parts: SplitResult, transport: Transport, *, secure: bool) -> PlugAddress:
    """Read http://HOST:PORT/OUTPUT."""
    options = query(parts, *TLS_KEYS)
    text = parts.path.strip("/")
    output = number(text, "output", 0, MOST_OUTPUTS) if text else None
    port = transport.port or (443 if secure else 80)
    return PlugAddress(parse_origin(parts, options, secure=secure, port=port), output)


SCHEMES = {
    "http": Scheme("http://HOST:80/OUTPUT", partial(parse_plug, secure=False)),
    "https": Scheme("https://HOST:443/OUTPUT?tls=verify&ca=FILE", partial(parse_plug, secure=True)),
}
