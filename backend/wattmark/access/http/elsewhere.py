"""Under which address other devices reach this service."""

from __future__ import annotations

import socket

from wattmark.core.loopback import is_loopback

EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not listened on
_ANYWHERE = ("192.0.2.1", 9)
"""A documentation address (RFC 5737); connecting a datagram socket to it picks a route and sends nothing."""


def address_elsewhere(host: str, port: int) -> str | None:
    """Return the address of the pages for other devices; None where the service listens on this machine alone."""
    if is_loopback(host):
        return None
    name = own_address() if host in EVERYWHERE else host.strip("[]")
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def own_address() -> str:
    """Return this machine's address in its network, or its name where no network is configured."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(_ANYWHERE)
        except OSError:
            return socket.gethostname()
        return str(sock.getsockname()[0])
