"""Addresses of instruments: they carry no secret, and one that does is not repeated."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

SECRET_PARTS = frozenset({"password", "passwd", "pass", "passphrase", "secret", "token", "community"})
_USER_INFO = re.compile(r"//[^\s?]*@")
_SECRET_PART = re.compile(rf"(?i)\b((?:[a-z]+_)?(?:{'|'.join(sorted(SECRET_PARTS))}))=[^&\s']*")


def without_secrets(url: str) -> str:
    """Return an address back that carries no user, password or other secret. Raises ValueError with what is allowed."""
    place, _, query = url.partition("?")
    names = {name.lower().rpartition("_")[2] for name, _ in parse_qsl(query, keep_blank_values=True)}
    if "@" in place or names & SECRET_PARTS:
        raise ValueError("an address without user or password")
    return url


def masked(text: str) -> str:
    """Hide the user, password and other secrets of an address."""
    return _SECRET_PART.sub(r"\1=***", _USER_INFO.sub("//***@", text))
