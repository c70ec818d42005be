"""Where a web server is, and how it proves who it is."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult

from wattmark_drivers.address_parts import host
from wattmark_drivers.errors import ConfigurationError

Trust = Literal["verify", "insecure", "legacy"]
TRUSTS: tuple[Trust, ...] = ("verify", "insecure", "legacy")
TLS_KEYS = ("tls", "ca")
"""Keys of an address that `trust` reads."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A web server. ``trust`` is about the certificate of an https server; ``ca`` a file of authorities to believe.

    "legacy" also accepts TLS 1.0, short keys and old hashes, which old BMCs have nothing better than.
    """

    scheme: Literal["http", "https"]
    host: str
    port: int
    trust: Trust = "verify"
    ca: str | None = None

    @property
    def url(self) -> str:
        """Write it as the beginning of a URL."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{name}:{self.port}"

    @property
    def label(self) -> str:
        """Return its name for people."""
        return f"{self.host}:{self.port}"


def parse_origin(parts: SplitResult, options: dict[str, str], *, secure: bool, port: int) -> Origin:
    """Read host, port and trust. Raises ValueError that continues the sentence "The address of the meter ..."."""
    how, ca = options.get("tls"), options.get("ca")
    if not secure and (how or ca):
        raise ValueError("asks for TLS, which its scheme does not have")
    if how not in (None, "verify", "insecure", "legacy"):
        raise ValueError(f"has tls={how}, which is not one of {', '.join(TRUSTS)}")
    if ca is not None and (how == "insecure" or not ca):
        raise ValueError("names no ca file, or a ca file that tls=insecure would ignore")
    trust: Trust = "insecure" if how == "insecure" else "legacy" if how == "legacy" else "verify"
    return Origin("https" if secure else "http", host(parts), parts.port or port, trust, ca)


def tls_context(origin: Origin) -> ssl.SSLContext | None:
    """Build the TLS settings; None without TLS. Raises `ConfigurationError` for an invalid CA file."""
    if origin.scheme == "http":
        return None
    try:
        context = ssl.create_default_context(cafile=origin.ca)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        cause = f"The certificate file {origin.ca} cannot be read: {reason}."
        raise ConfigurationError(cause, "Use a PEM file of certificates.") from None
    if origin.trust == "legacy":
        context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
        context.set_ciphers("ALL:@SECLEVEL=0")
    if origin.trust == "insecure" or (origin.trust == "legacy" and origin.ca is None):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
