"""Where an SNMP agent is, which of its outlets is meant, and how the conversation is protected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args
from urllib.parse import SplitResult

from wattmark_drivers.address_parts import host, number, query
from wattmark_drivers.catalogue.declaration import Transport
from wattmark_drivers.engine import Scheme

Version = Literal["2c", "3"]
AUTHENTICATIONS = ("MD5", "SHA", "SHA224", "SHA256", "SHA384", "SHA512")
PRIVACIES = ("none", "DES", "AES", "AES192", "AES256")
LARGEST_NUMBER = 100_000


@dataclass(frozen=True, slots=True)
class SnmpAddress:
    """An agent and a number (outlet, inlet, unit); version None takes the model's."""

    host: str
    port: int
    number: int = 1
    version: Version | None = None
    authentication: str = "SHA"
    privacy: str = "AES"
    context: str = ""


def parse_snmp(parts: SplitResult, transport: Transport) -> SnmpAddress:
    """Parse snmp://HOST:PORT/NUMBER?version=3&auth=SHA256&privacy=AES&context=NAME."""
    options = query(parts, "version", "auth", "privacy", "context")
    version = options.get("version")
    if version is not None and version not in get_args(Version):
        raise ValueError(f"has the version {version}, which is neither 2c nor 3")
    if version == "2c" and set(options) - {"version"}:
        raise ValueError("has version 2c, which has no authentication, privacy or contexts")
    text = parts.path.strip("/")
    return SnmpAddress(
        host(parts),
        parts.port or transport.port or 161,
        number(text, "number", 1, LARGEST_NUMBER) if text else 1,
        cast("Version | None", version),
        _choose(options.get("auth", "SHA"), "authentication", AUTHENTICATIONS),
        _choose(options.get("privacy", "AES"), "privacy", PRIVACIES),
        options.get("context", ""),
    )


def _choose(text: str, what: str, choices: tuple[str, ...]) -> str:
    if text not in choices:
        # Who mistakes this for the place of a passphrase must not find it in a log.
        raise ValueError(f"has an unknown {what}; known are {', '.join(choices)}")
    return text


SCHEMES = {"snmp": Scheme("snmp://HOST:161/OUTLET?version=3&auth=SHA&privacy=AES", parse_snmp)}
