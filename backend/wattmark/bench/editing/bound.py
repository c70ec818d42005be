"""Destination of a password: the parts of an instrument's address and options that decide who sees it."""

from __future__ import annotations

import hashlib
from urllib.parse import parse_qsl, urlencode, urlsplit

from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.connection.schemes import USUAL_PORTS

WHO_SEES_IT = frozenset({"tls", "ca", "version", "auth", "privacy"})
"""Parts of an address behind its question mark that decide to whom, and how openly, a password is shown."""


def bound_address(model: str, url: str) -> str:
    """Format the destination of an instrument's password, the same for all outlets or sensors of a device."""
    try:
        parts = urlsplit(url)
        place = f"{parts.hostname}:{parts.port or _usual_port(model, parts.scheme)}" if parts.netloc else parts.path
    except ValueError:
        return f"{model} {url}"  # no driver reads it either
    query = sorted((name, value) for name, value in parse_qsl(parts.query) if name in WHO_SEES_IT)
    return f"{model} {parts.scheme}://{place}" + (f"?{urlencode(query)}" if query else "")


def digest_of(bound: str) -> str:
    """Shorten what a password is bound to for the name of its file."""
    return hashlib.sha256(bound.encode()).hexdigest()[:32]


def _usual_port(model: str, scheme: str) -> int | None:
    declaration = load_catalogue().get(model)
    transport = declaration.transport(scheme) if declaration else None
    return (transport.port if transport else None) or USUAL_PORTS.get(scheme)
