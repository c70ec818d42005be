"""A token: a random secret that is shown once, and its stored digest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from wattmark.access.roles import Role

SECRET_BYTES = 24
"""192 random bits: a search is hopeless, so a plain hash of it is as safe as a slow one (decision 0023)."""
PREFIX = "wm_"
"""Lets scanners of repositories and logs recognise a token."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token as stored [UTC ns]. ``digest`` is its SHA-256; None: never used, not revoked."""

    name: str
    role: Role
    digest: str
    created_ns: int
    used_ns: int | None = None
    revoked_ns: int | None = None


def new_secret(random_text: Callable[[int], str]) -> str:
    """Create a secret from a source of random text (`secrets.token_urlsafe`)."""
    return PREFIX + random_text(SECRET_BYTES)


def digest(secret: str) -> str:
    """Compute the SHA-256 of a secret, in hexadecimal."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
