"""Which device or line an address leads to, and which meters are on it already."""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import urlsplit

from wattmark_drivers.address import WITHOUT_PORT
from wattmark_drivers.connection.schemes import USUAL_PORTS
from wattmark_drivers.factory import find_model
from wattmark_drivers.settings import MeterSettings

ALONE = frozenset({"scpi", "wattsup"})
"""Engines whose devices listen to one program at a time."""


def same_place(one: str, other: str) -> bool:
    """Tell whether two addresses lead to the same line or host and port; a scheme without ports means all of a host."""
    ours, theirs = _place(one), _place(other)
    return ours[0] == theirs[0] and (ours[1] == theirs[1] or None in (ours[1], theirs[1]))


def _place(url: str) -> tuple[str, int | None]:
    parts = urlsplit(url)
    if parts.scheme in WITHOUT_PORT:
        return parts.netloc.lower(), None
    if not parts.hostname:
        return os.path.realpath(parts.path), None
    return parts.hostname, parts.port or USUAL_PORTS.get(parts.scheme)


def on_the_line(url: str, meters: Sequence[MeterSettings]) -> list[str]:
    """Name the meters that are at the place of an address."""
    return [one.name for one in meters if same_place(one.url, url)]


def disturbed(new: MeterSettings, meters: Sequence[MeterSettings]) -> str | None:
    """Name a meter that reading another device would disturb; None where there is none.

    Modbus lines are shared by turns, if they are set alike; a serial port with another protocol, and devices that
    listen to one program at a time, are not.
    """
    for one in meters:
        if not same_place(one.url, new.url):
            continue
        kinds = {_engine(one), _engine(new)}
        serial = not urlsplit(new.url).hostname and urlsplit(new.url).path.startswith("/dev/")
        if kinds & ALONE or (serial and (kinds != {"modbus"} or _line(one) != _line(new))):
            return one.name
    return None


def _engine(settings: MeterSettings) -> str:
    return find_model(settings.model).protocol.engine


def _line(settings: MeterSettings) -> list[str]:
    """Give what all meters on a serial line must agree on."""
    return sorted(part for part in urlsplit(settings.url).query.split("&") if not part.startswith("device="))
