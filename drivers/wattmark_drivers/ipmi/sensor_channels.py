"""Which channels the sensors of a BMC become, and which of them give the power of the whole server."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wattmark_drivers.catalogue.ipmi_map import SensorUnit, ServerPowerName
from wattmark_drivers.distinct import distinct
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.ipmi.sdr import SensorRow
from wattmark_drivers.reading import Channel, Kind

POWER = "power"
WATTS = "Watts"
NO_READING = "ns"
NUMBER = "{n}"
SensorChannels = Mapping[tuple[int, str], Channel]


@dataclass(frozen=True, slots=True)
class ServerPower:
    """The sensor of the whole server's power, or those of all supplies' inputs, whose sum it is."""

    declared: ServerPowerName
    members: tuple[SensorRow, ...]
    """As listed at first; a supply without a reading is not there, or off."""

    @property
    def summed(self) -> bool:
        """Return whether the power is a sum over supplies."""
        return NUMBER in self.declared.name

    @property
    def label(self) -> str:
        """Name the sensors, with the facts that a reader needs."""
        names = " + ".join(row.name for row in self.members if row.value is not None or not self.summed)
        label = f"Sum of the supplies: {names or self.declared.name}" if self.summed else names
        return f"{label} ({self.declared.remark})" if self.declared.remark else label


def find_server_power(rows: Sequence[SensorRow], ranking: Sequence[ServerPowerName]) -> ServerPower | None:
    """Find the sensors of the whole server's power: the best name that shows some, or the best one while none does.

    None where the BMC lists none of these names, or one of them twice: then it serves several servers.
    """
    listed = [ServerPower(declared, tuple(row for row in rows if _fits(row, declared))) for declared in ranking]
    listed = [power for power in listed if power.members]
    read = [power for power in listed if any(row.value for row in power.members)]
    best = next(iter(read or listed), None)
    return best if best is not None and len({row.name for row in best.members}) == len(best.members) else None


def chosen_server_power(rows: Sequence[SensorRow], sensor: str) -> ServerPower:
    """Find the sensor in W that the address names. Raises `ConfigurationError` where there is none, or several."""
    chosen = [row for row in watt_sensors(rows) if row.name.casefold() == sensor.casefold()]
    if len(chosen) != 1:
        names = ", ".join(row.name for row in watt_sensors(rows)) or "none"
        few = "no sensor" if not chosen else "more than one sensor"
        raise ConfigurationError(f"The BMC has {few} in W called {sensor}.", f"Its sensors in W: {names}.")
    declared = ServerPowerName(name=chosen[0].name, remark="sensor of the address", status="unconfirmed")
    return ServerPower(declared, (chosen[0],))


def watt_sensors(rows: Sequence[SensorRow]) -> list[SensorRow]:
    """List the sensors that are in W."""
    return [row for row in rows if row.unit == WATTS]


def sensor_channels(
    rows: Sequence[SensorRow],
    units: Sequence[SensorUnit],
    *,
    server: ServerPower | None = None,
    period_s: float | None = None,
) -> SensorChannels:
    """Map each sensor with a known unit to a channel.

    The id comes from the name, or from the number where the name is unreadable or repeats. The sensor that gives the
    power of the whole ``server`` becomes the channel ``power`` and comes first. It and the supplies that are added for
    it are channels also while they have no reading.
    ``period_s`` is the time between lists [s], None: every poll.
    """
    units_by_text = {item.text: item for item in units}
    whole = server.members[0] if server is not None and not server.summed else None
    members = server.members if server is not None else ()
    usable = [row for row in rows if row.unit in units_by_text or row in members]
    usable.sort(key=lambda row: row is not whole)
    names = distinct([_plain(row.name) for row in usable], [_numbered(row) for row in usable])
    channels = {}
    for row, name in zip(usable, names, strict=True):
        if server is not None and row is whole:
            channels[row.key] = server_channel(server)
            continue
        unit = units_by_text[row.unit or WATTS]
        channels[row.key] = Channel(name, unit.quantity, unit.unit, Kind.INSTANTANEOUS, row.name, period_s=period_s)
    return channels


def server_channel(server: ServerPower) -> Channel:
    """Describe the channel of the whole server's power, as its sensors give it."""
    return Channel(POWER, "power", "W", Kind.INSTANTANEOUS, server.label)


def _plain(name: str) -> str:
    """Return a sensor's name as an id; empty where it is unreadable or is that of the whole server's power."""
    if not name.isascii() or not name.isprintable():
        return ""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return "" if plain == POWER else plain


def _numbered(row: SensorRow) -> str:
    return f"sensor_{row.number:02x}h_{row.entity.replace('.', '_')}"


def _fits(row: SensorRow, declared: ServerPowerName) -> bool:
    if row.unit != WATTS and row.state != NO_READING:
        return False
    if declared.entity is not None and row.entity.split(".")[0] != str(declared.entity):
        return False
    return re.fullmatch(re.escape(declared.name).replace(re.escape(NUMBER), "[0-9]+"), row.name) is not None
