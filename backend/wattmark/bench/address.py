"""Addresses of instruments: they carry no secret, and one that does is not repeated."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from wattmark_drivers.mqtt.address import parse_broker

TOPIC = "wattmark"
"""Topic at a broker that is named without one."""
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


def broker_url(url: str) -> str:
    """Return the address of an MQTT broker back. Raises ValueError with what is allowed."""
    without_secrets(url)
    try:
        parse_broker(url, TOPIC)
    except ValueError as error:
        raise ValueError(f"mqtt://HOST:1883/TOPIC or mqtts://HOST:8883/TOPIC?ca=FILE; this one {error}") from None
    return url


def masked(text: str) -> str:
    """Hide the user, password and other secrets of an address."""
    return _SECRET_PART.sub(r"\1=***", _USER_INFO.sub("//***@", text))
