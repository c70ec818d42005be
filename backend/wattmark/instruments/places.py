"""Which device or line an address leads to, and which meters are on it already."""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import urlsplit

from wattmark_drivers.address import WITHOUT_PORT
from wattmark_drivers.catalogue import find_model
from wattmark_drivers.connection.schemes import USUAL_PORTS
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.on_demand import SCHEME

ALONE = frozenset({"powersensor", "scpi", "wattsup"})
"""Engines whose devices listen to one program at a time."""


def same_place(url: str, other: str) -> bool:
    """Return whether two addresses denote the same line or host and port; a scheme without ports means the host.

    Each simulated meter has a simulator of its own.
    """
    if SCHEME in (urlsplit(url).scheme, urlsplit(other).scheme):
        return False
    ours, other_place = _place(url), _place(other)
    return ours[0] == other_place[0] and (ours[1] == other_place[1] or None in (ours[1], other_place[1]))


def _place(url: str) -> tuple[str, int | None]:
    parts = urlsplit(url)
    if parts.scheme in WITHOUT_PORT:
        return parts.netloc.lower(), None
    if not parts.hostname:
        return os.path.realpath(parts.path), None
    return parts.hostname, parts.port or USUAL_PORTS.get(parts.scheme)


def on_the_line(url: str, meters: Sequence[MeterSettings]) -> list[str]:
    """Return the meters that are at the place of an address."""
    return [meter.name for meter in meters if same_place(meter.url, url)]


def disturbed(new: MeterSettings, meters: Sequence[MeterSettings]) -> str | None:
    """Return the name of a meter that reading another device would disturb; None where there is none.

    Modbus lines are shared by turns, if they are set alike; a serial port with another protocol, and devices that
    listen to one program at a time, are not.
    """
    for meter in meters:
        if not same_place(meter.url, new.url):
            continue
        kinds = {_engine(meter), _engine(new)}
        serial = not urlsplit(new.url).hostname and urlsplit(new.url).path.startswith("/dev/")
        if kinds & ALONE or (serial and (kinds != {"modbus"} or _line(meter) != _line(new))):
            return meter.name
    return None


def _engine(settings: MeterSettings) -> str:
    return find_model(settings.model).protocol.engine


def _line(settings: MeterSettings) -> list[str]:
    """Return what all meters on a serial line must agree on."""
    return sorted(part for part in urlsplit(settings.url).query.split("&") if not part.startswith("device="))
