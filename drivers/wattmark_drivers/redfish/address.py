"""Where a Redfish service is, and which chassis of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Literal
from urllib.parse import SplitResult, unquote

from wattmark_drivers.address_parts import query
from wattmark_drivers.catalogue.declaration import Transport
from wattmark_drivers.engine import Scheme
from wattmark_drivers.http_client.origin import TLS_KEYS, Origin, parse_origin

Login = Literal["session", "basic"]
_CHASSIS = re.compile(r"[^/?#\x00-\x20\x7f]{1,128}")


@dataclass(frozen=True, slots=True)
class RedfishAddress:
    """A chassis (None: the only one with power) and how to log in (None: by session, else basic)."""

    origin: Origin
    chassis: str | None = None
    login: Login | None = None


def parse_redfish(parts: SplitResult, transport: Transport, *, secure: bool) -> RedfishAddress:
    """Read redfish://HOST:PORT/CHASSIS?tls=verify&ca=FILE&login=session."""
    options = query(parts, *TLS_KEYS, "login")
    chassis = unquote(parts.path.strip("/"))
    if chassis and not _CHASSIS.fullmatch(chassis):
        raise ValueError("has a chassis that is no id")
    how = options.get("login")
    if how not in (None, "session", "basic"):
        raise ValueError(f"has login={how}, which is neither session nor basic")
    login: Login | None = None if how is None else "basic" if how == "basic" else "session"
    origin = parse_origin(parts, options, secure=secure, port=transport.port or (443 if secure else 80))
    return RedfishAddress(origin, chassis or None, login)


SCHEMES = {
    "redfish": Scheme(
        "redfish://HOST:443/CHASSIS?tls=verify&ca=FILE&login=session", partial(parse_redfish, secure=True)
    ),
    "redfish+http": Scheme("redfish+http://HOST:80/CHASSIS", partial(parse_redfish, secure=False)),
}
