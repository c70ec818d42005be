"""The address of a hook's call, checked after its parameters are filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from wattmark_drivers.http_client.origin import Origin

from wattmark.core.errors import InputError
from wattmark.core.loopback import is_loopback
from wattmark.workloads.placeholders import fill

PORTS = {"http": 80, "https": 443}
_FORM = "Write it like https://loads.example:8443/begin; set the token separately."


@dataclass(frozen=True, slots=True)
class HttpTarget:
    """A web server and a path on it."""

    origin: Origin
    path: str

    @property
    def label(self) -> str:
        """Return the address to show to a person; the query, which may hold secrets, is excluded."""
        return f"{self.origin.url}{self.path.partition('?')[0]}"

    @property
    def here(self) -> bool:
        """Return whether the web server is on this machine."""
        return is_loopback(self.origin.host)

    @property
    def private(self) -> bool:
        """Return whether the connection is private: TLS, or this machine itself."""
        return self.origin.scheme == "https" or self.here


def parse_target(template: str, parameters: Mapping[str, str], ca_file: str | None) -> HttpTarget:
    """Parse an address after filling in the parameters. Raises `InputError` for an invalid one."""
    text = fill(template, parameters)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise InputError(f"{text[:200]!r} is not a valid hook address: {error}.", _FORM) from None
    plain = text.isascii() and text.isprintable() and " " not in text
    if not plain or parts.scheme not in PORTS or not parts.hostname or parts.fragment or "@" in parts.netloc:
        raise InputError(f"{text[:200]!r} is not a valid hook address.", _FORM)
    scheme: Literal["http", "https"] = "https" if parts.scheme == "https" else "http"
    origin = Origin(scheme, parts.hostname, port or PORTS[scheme], ca=ca_file if scheme == "https" else None)
    return HttpTarget(origin, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
