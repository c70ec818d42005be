"""Where a Redfish service is, and which chassis of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Literal
from urllib.parse import SplitResult, unquote

from wattmark_drivers.address_parts import number, query
from wattmark_drivers.catalogue.declaration import Transport
from wattmark_drivers.engine import Scheme
from wattmark_drivers.http_client.origin import TLS_KEYS, Origin, parse_origin

Login = Literal["session", "basic"]
LONGEST_WAIT_S = 600
_ID = re.compile(r"[^/?#\x00-\x20\x7f]{1,128}")
_NAME = re.compile(r"[^/?#\x00-\x1f\x7f]{1,128}")


@dataclass(frozen=True, slots=True)
class RedfishAddress:
    """A chassis (None: the server's) and how to log in (None: by session, else basic).

    ``sensor``, or the entry of PowerControl of that name, has the power;
    ``wait_s`` is how long an answer may take [s] (None: as declared).
    """

    origin: Origin
    chassis: str | None = None
    login: Login | None = None
    sensor: str | None = None
    wait_s: int | None = None


def parse_redfish(parts: SplitResult, transport: Transport, *, secure: bool) -> RedfishAddress:
    """Read redfish://HOST:PORT/CHASSIS?sensor=ID&wait_s=60&tls=verify&ca=FILE&login=session."""
    options = query(parts, *TLS_KEYS, "login", "sensor", "wait_s")
    chassis = unquote(parts.path.strip("/"))
    if chassis and not _ID.fullmatch(chassis):
        raise ValueError("has a chassis that is not an id")
    how = options.get("login")
    if how not in (None, "session", "basic"):
        raise ValueError(f"has login={how}, which is neither session nor basic")
    login: Login | None = None if how is None else "basic" if how == "basic" else "session"
    wait_s = number(options["wait_s"], "waiting time", 1, LONGEST_WAIT_S) if "wait_s" in options else None
    origin = parse_origin(parts, options, secure=secure, port=transport.port or (443 if secure else 80))
    sensor = options.get("sensor") or None
    if sensor is not None and not _NAME.fullmatch(sensor):
        raise ValueError("has a sensor that is neither an id nor a name")
    return RedfishAddress(origin, chassis or None, login, sensor, wait_s)


SCHEMES = {
    "redfish": Scheme(
        "redfish://HOST:443/CHASSIS?sensor=ID&wait_s=60&tls=verify&ca=FILE&login=session",
        partial(parse_redfish, secure=True),
    ),
    "redfish+http": Scheme("redfish+http://HOST:80/CHASSIS?sensor=ID&wait_s=60", partial(parse_redfish, secure=False)),
}
