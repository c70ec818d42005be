"""Where a BMC is."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult

from wattmark_drivers.address_parts import host, number, query
from wattmark_drivers.catalogue.declaration import Transport
from wattmark_drivers.engine import Scheme

PRIVILEGES = ("USER", "OPERATOR", "ADMINISTRATOR")


@dataclass(frozen=True, slots=True)
class IpmiAddress:
    """A BMC; cipher suite and privilege None take the model's."""

    host: str
    port: int
    cipher: int | None
    privilege: str | None
    sensor: str | None = None
    """The sensor that gives the power of the whole server; None: DCMI, or a sensor with a known name."""


def parse_ipmi(parts: SplitResult, transport: Transport) -> IpmiAddress:
    """Read ipmi://HOST:PORT?cipher=N&privilege=NAME&sensor=NAME."""
    options = query(parts, "cipher", "privilege", "sensor")
    privilege = options.get("privilege")
    if privilege is not None and privilege not in PRIVILEGES:
        raise ValueError(f"has the privilege {privilege}, which is not {', '.join(PRIVILEGES)}")
    cipher = number(options["cipher"], "cipher suite", 0, 17) if "cipher" in options else None
    return IpmiAddress(host(parts), parts.port or transport.port or 623, cipher, privilege, options.get("sensor"))


SCHEMES = {"ipmi": Scheme("ipmi://HOST:623?cipher=3&privilege=USER&sensor=NAME", parse_ipmi)}
