"""Choose channels for the sensors that a BMC lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from wattmark_drivers.catalogue.ipmi_map import SensorUnit
from wattmark_drivers.ipmi.sdr import SensorRow
from wattmark_drivers.reading import Channel, Kind

POWER = "power"
_TOTAL = re.compile(r"(sys(tem)?|total|chassis|node|board|pwr|power)[ _]*(pwr|power|input|consumption|meter)?.*", re.I)
_SUPPLY = re.compile(r"\bPSU?[ _]?\d", re.I)
SensorChannels = Mapping[tuple[int, str], Channel]


def sensor_channels(
    rows: Sequence[SensorRow], units: Sequence[SensorUnit], *, take_power: bool, period_s: float | None = None
) -> SensorChannels:
    """Map each sensor with a known unit to a channel.

    The id comes from the name, or from the number where the name is unreadable or repeats. With ``take_power`` the
    sensor of the whole server's watts, if there is exactly one such, becomes the channel ``power`` and comes first.
    ``period_s`` is the time between lists [s], None: every poll.
    """
    units_by_text = {item.text: item for item in units}
    usable = [row for row in rows if row.unit in units_by_text]
    total = _total(usable) if take_power else None
    usable.sort(key=lambda row: row is not total)
    names = Counter(_slug(row.name) for row in usable)
    channels = {}
    for row in usable:
        slug = _slug(row.name)
        plain = slug and slug != POWER and names[slug] == 1
        name = POWER if row is total else slug if plain else f"sensor_{row.number:02x}h_{row.entity.replace('.', '_')}"
        unit = units_by_text[row.unit]
        channels[row.key] = Channel(name, unit.quantity, unit.unit, Kind.INSTANTANEOUS, row.name, period_s=period_s)
    return channels


def _slug(name: str) -> str:
    if not name.isascii() or not name.isprintable():
        return ""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _total(rows: Sequence[SensorRow]) -> SensorRow | None:
    """Find the sensor of the whole server's input power; None unless exactly one looks like it."""
    watts = [row for row in rows if row.unit == "Watts" and not _SUPPLY.search(row.name)]
    totals = [row for row in watts if _TOTAL.fullmatch(row.name.strip())]
    return totals[0] if len(totals) == 1 else None
