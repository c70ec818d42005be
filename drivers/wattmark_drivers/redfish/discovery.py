"""Find out what a Redfish service measures: its chassis, and for each group the first resource with a number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wattmark_drivers.catalogue.redfish_map import RedfishMap, RedfishResource
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.http_client.json_body import number_of, point, text_at
from wattmark_drivers.reading import Channel, Kind
from wattmark_drivers.redfish.chassis import find_chassis, find_systems, host_of, is_off, names_of, ranked
from wattmark_drivers.redfish.labels import describe, doubt_about, supplies_side
from wattmark_drivers.redfish.power_control import doubts_about_entries, names_of_entries, no_number
from wattmark_drivers.redfish.session import Resource
from wattmark_drivers.redfish.supplies import SupplyCheck, doubts_about_supplies
from wattmark_drivers.redfish.values import ABSENT, Value, applies, total_of, unique, values_of
from wattmark_drivers.redfish.walk import MOST_MEMBERS, FoundResource, Walker, last_part
from wattmark_drivers.redfish.whose import whose_power

POWER = "power"
MOST_SENSORS_NAMED = 12
_POWER_NAME = re.compile(r"power|pwr|watts?", re.IGNORECASE)
_ENDS_IN_POWER = re.compile(r".*(power|pwr|watts?)[_0-9]*", re.IGNORECASE)
"""How sensors of power are called, by the last part of their paths: roughly, and where they cannot be read."""
_WHOLE_NAME = re.compile(r"total|system_?board|sys_?board|server|chassis|system|node", re.IGNORECASE)
_PART_NAME = re.compile(r"ps_?u?_?[0-9]|psu|supply|cpu|gpu|dimm|mem|fan|pcie|storage|drive", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RedfishSource:
    """The resources that are polled for some channels, as they were found; several where their values are added."""

    parts: tuple[FoundResource, ...]
    declared: RedfishResource
    channels: tuple[Channel, ...]

    def values(self, documents: Sequence[object]) -> dict[str, Value]:
        """Read the values of its channels from fresh documents of its resources.

        Once it has channels, its supplies were seen to differ, so that equal ones are no ratings.
        """
        values = [
            value
            for part, document in zip(self.parts, documents, strict=True)
            for value in values_of(self.declared, document, part.member)
        ]
        values = total_of(values, differed=bool(self.channels)) if self.declared.total else unique(values, set())
        return {value.channel: value for value in values}


@dataclass(frozen=True, slots=True)
class Discovered:
    """A chassis, its measured values, the resource of its server's power state, and the rejected values."""

    chassis: Resource
    sources: tuple[RedfishSource, ...]
    host: Resource | None = None
    refused: tuple[str, ...] = ()

    @property
    def channels(self) -> list[Channel]:
        """List the channels, power first."""
        channels = [channel for source in self.sources for channel in source.channels]
        return sorted(channels, key=lambda channel: channel.id != POWER)

    @property
    def documents_of_power(self) -> list[object]:
        """List the documents that the power is read from."""
        return [
            part.resource.document
            for source in self.sources
            if any(channel.id == POWER for channel in source.channels)
            for part in source.parts
        ]

    @property
    def has_power(self) -> bool:
        """Return whether the chassis reports its power."""
        return any(channel.id == POWER for channel in self.channels)


async def discover(
    walker: Walker, root: Resource, table: RedfishMap, wanted: str | None, kind: Kind, sensor: str | None = None
) -> Discovered:
    """Find the chassis and its resources; ``sensor`` names the one with the power.

    Raises `ConfigurationError`, `ConnectionFailed` or `AuthenticationFailed`.
    """
    walker.root = root
    chassis = await find_chassis(walker, root, wanted)
    systems = await find_systems(walker, root)
    look = _Look(walker, table, kind, sensor)
    power = [declared for declared in table.resources if declared.group == POWER]
    refused: list[str] = []
    holders = [item for item in chassis if systems.of(item) is not None or systems.held_by(item)[1]]
    for group in ranked(chassis, systems, table):
        examined = [await look.at(item, power) for item in group]
        powered = [item for item in examined if item.has_power]
        refused += [reason for item in examined for reason in item.refused]
        if len(powered) > 1:
            names = names_of([item.chassis for item in powered])
            raise ConfigurationError("Several chassis report power.", f"Add one of them to the address: {names}.")
        if powered:
            powering = powered[0].chassis
            documents = powered[0].documents_of_power
            whose = whose_power(powering, systems, holders, table, documents, named=wanted, sensor=sensor)
            complete = _of(await look.at(powering, table.resources), whose)
            return replace(complete, host=host_of(powered[0].chassis, systems))
    hosts = [host_of(item, systems) for item in chassis]
    off = any(is_off(host) for host in hosts)
    on = any(host is not None for host in hosts) and not off
    raise walker.forbidden or await _no_power(walker, chassis, refused, sensor, off=off, on=on)


class _Look:
    """Selects from each group the first declared resource that gives a number."""

    def __init__(self, walker: Walker, table: RedfishMap, kind: Kind, sensor: str | None) -> None:
        self._walker = walker
        self._table = table
        self._kind = kind
        self._sensor = sensor

    async def at(self, chassis: Resource, resources: Sequence[RedfishResource]) -> Discovered:
        """Examine one chassis."""
        sources: list[RedfishSource] = []
        taken: set[str] = set()
        groups: set[str] = set()
        refused: list[str] = []
        values: list[Value] = []
        for declared in resources:
            if declared.group in groups or (declared.group == POWER and declared.chosen != (self._sensor is not None)):
                continue
            for source, source_values in await self._sources(chassis, declared, taken, refused):
                sources.append(source)
                values += source_values
                groups.add(declared.group)
                taken |= {channel.id for channel in source.channels}
        return Discovered(chassis, _with_side(tuple(sources), values), refused=tuple(refused))

    async def _sources(
        self, chassis: Resource, declared: RedfishResource, taken: set[str], refused: list[str]
    ) -> list[tuple[RedfishSource, list[Value]]]:
        taken = set(taken)
        sources = []
        for parts, counted in await self._parts(chassis, declared):
            documents = [part.resource.document for part in parts]
            if not all(applies(declared, document) for document in documents):
                continue
            values = list(RedfishSource(parts, declared, ()).values(documents).values())
            values = unique(values, taken)
            if any(value.quality.usable for value in values if declared.group != POWER or value.channel == POWER):
                channels = tuple(self._channel(value, declared, parts, counted) for value in values)
                sources.append((RedfishSource(parts, declared, channels), values))
                taken |= {channel.id for channel in channels}
            else:
                refused += doubt_about(values)
        return sources

    async def _parts(self, chassis: Resource, declared: RedfishResource) -> list[tuple[tuple[FoundResource, ...], int]]:
        """Find the resources of each source, and how many of them the service counts."""
        wanted = (re.escape(self._sensor),) if declared.chosen and self._sensor else declared.members
        if not declared.total or "*" not in declared.path:
            ends = await self._walker.follow(chassis, declared.path, wanted)
            chosen = self._sensor if declared.chosen else None
            return [((FoundResource(part.resource, part.member or chosen),), 1) for part in ends]
        star = declared.path.index("*")
        collections = await self._walker.follow(chassis, declared.path[:star])
        parts: list[FoundResource] = []
        counted = 0.0
        for collection in collections:
            counted += number_of(point(collection.resource.document, "/Members@odata.count")) or 0
            links = await self._walker.links(collection.resource, wanted)
            members = await self._walker.follow(collection.resource, ["*"], wanted)
            if len(members) < len(links):
                return []
            for member in members:
                if point(member.resource.document, "/Status/State") == ABSENT:
                    counted -= 1
                    continue
                ends = await self._walker.follow(member.resource, declared.path[star + 1 :])
                if len(ends) != 1:
                    return []
                parts.append(FoundResource(ends[0].resource, member.member))
        return [(tuple(parts), len(parts) if wanted else int(counted))] if parts else []

    def _channel(
        self, value: Value, declared: RedfishResource, parts: Sequence[FoundResource], counted: int
    ) -> Channel:
        item = value.declared
        period_s = self._table.sensors_period_s if declared.slow else None
        label = describe(value, declared, [part.resource for part in parts], counted, self._table.output_names)
        return Channel(
            value.channel, item.quantity, item.unit, item.kind or self._kind, label, item.resolution, period_s
        )


def _with_side(sources: tuple[RedfishSource, ...], values: Sequence[Value]) -> tuple[RedfishSource, ...]:
    """Label a power of unstated side as equal to the input or output of the supplies, where it is."""
    power = next((value for value in values if value.channel == POWER), None)
    if power is None or power.declared.side != "unstated":
        return sources
    check = SupplyCheck()
    check.observe(values)
    believed = [value for value in values if not check.judge(value, power.value)]
    label = supplies_side(power.value, [value for value in believed if value.quality.usable])
    if label is None:
        return sources
    return tuple(
        replace(source, channels=tuple(_relabelled(channel, label) for channel in source.channels))
        for source in sources
    )


def _of(discovered: Discovered, whose: str) -> Discovered:
    """Name the measured part in the label of a power, where it is not simply that of the server."""
    if not whose:
        return discovered
    sources = tuple(
        replace(
            source,
            channels=tuple(
                replace(channel, label=f"{channel.label}: {whose}") if channel.id == POWER else channel
                for channel in source.channels
            ),
        )
        for source in discovered.sources
    )
    return replace(discovered, sources=sources)


def _relabelled(channel: Channel, side: str) -> Channel:
    if channel.id != POWER:
        return channel
    return replace(channel, label=re.sub(r"side of the supplies not stated", side, channel.label))


async def _no_power(
    walker: Walker, chassis: Sequence[Resource], refused: Sequence[str], sensor: str | None, *, off: bool, on: bool
) -> DriverError:
    names = names_of(chassis)
    what = f"The chassis {names} reports no power"
    if sensor is not None:
        what = f"No sensor {sensor} of power in W was found at the chassis {names}"
        states = [state for item in chassis for state in await _doubts_about_sensor(walker, item, sensor)]
        refused = [*refused, *states]
    else:
        refused = [*refused, *[doubt for item in chassis for doubt in await _doubts(walker, item)]]
    if walker.broken is not None:
        refused = [*refused, walker.broken.cause.rstrip(".")]
    because = f": {'; '.join(dict.fromkeys(refused))}" if refused else ""
    if off:
        return ConnectionFailed(f"{what}, and the server is switched off{because}.", "Switch the server on.")
    entries = [name for item in chassis for name in await _names_in_power_control(walker, item) if name != sensor]
    sensors = [name for item in chassis for name in await _power_sensors(walker, item) if name != sensor]
    if entries:
        remedy = (
            f"Add the entry of PowerControl that is meant to the address as sensor=NAME, one of: {', '.join(entries)}."
        )
    elif sensors:
        listed = ", ".join(sensors[:MOST_SENSORS_NAMED]) + (" ..." if len(sensors) > MOST_SENSORS_NAMED else "")
        remedy = f"Add the sensor of the whole server to the address as sensor=ID, one of: {listed}."
    else:
        remedy = "Choose another chassis in the address, read the BMC by ipmi://, or meter the server at the wall."
        remedy = remedy if on else f"Switch the server on. {remedy}"
    return ConnectionFailed(f"{what}{because}.", remedy)


async def _names_in_power_control(walker: Walker, chassis: Resource) -> list[str]:
    resources = await walker.follow(chassis, ["Power"])
    arrays = [point(item.resource.document, "/PowerControl") for item in resources]
    return [name for array in arrays for name in names_of_entries(array, "/PowerConsumedWatts")][:MOST_SENSORS_NAMED]


async def _doubts(walker: Walker, chassis: Resource) -> list[str]:
    """Describe what a chassis reports instead of a power: no numbers, parts, outputs of supplies alone."""
    doubts: list[str] = []
    for part in await walker.follow(chassis, ["Power"]):
        document = part.resource.document
        doubts += doubts_about_entries(point(document, "/PowerControl"), "/PowerConsumedWatts")
        supplies = point(document, "/PowerSupplies")
        doubts += doubts_about_supplies(supplies if isinstance(supplies, list) else [])
    for part in await walker.follow(chassis, ["EnvironmentMetrics"]):
        power = point(part.resource.document, "/PowerWatts")
        value = power if isinstance(power, str | int | float) else point(power, "/Reading")
        if isinstance(power, str | int | float):
            doubts.append(f"EnvironmentMetrics, PowerWatts is {value!r}, no object with a Reading")
        elif doubt := no_number(value, "EnvironmentMetrics, PowerWatts"):
            doubts.append(doubt)
    return doubts


async def _doubts_about_sensor(walker: Walker, chassis: Resource, sensor: str) -> list[str]:
    doubts: list[str] = []
    for part in await walker.follow(chassis, ["Sensors", "*"], (re.escape(sensor),)):
        document = part.resource.document
        unit = text_at(document, "/ReadingUnits")
        if unit != "W":
            doubts.append(f"{sensor} is in {unit or 'no unit'}")
        elif doubt := no_number(point(document, "/Reading"), sensor):
            doubts.append(doubt)
    return doubts


async def _power_sensors(walker: Walker, chassis: Resource) -> list[str]:
    """List the sensors of power of a chassis, those of the whole board first, with a state that is not Enabled.

    They are known by unit and type; where there are too many to read, by their paths.
    """
    collections = await walker.follow(chassis, ["Sensors"])
    links = [link for collection in collections for link in await walker.links(collection.resource)]
    likely = sorted(links, key=lambda link: _POWER_NAME.search(last_part(link)) is None)
    ranked_names: list[tuple[int, str]] = []
    for link in likely[:MOST_MEMBERS]:
        sensor = await walker.try_get(link)
        document = None if sensor is None else sensor.document
        by_name = sensor is None and _ENDS_IN_POWER.fullmatch(last_part(link)) is not None
        is_power = point(document, "/ReadingUnits") == "W" or (
            point(document, "/ReadingType") == "Power" and text_at(document, "/ReadingUnits") in (None, "W")
        )
        if by_name or is_power:
            state = text_at(document, "/Status/State")
            note = f" (state {state})" if state not in (None, "Enabled") else ""
            ranked_names.append((_rank(last_part(link), document) + (3 if note else 0), f"{last_part(link)}{note}"))
    return [name for _, name in sorted(ranked_names, key=lambda item: item[0])]


def _rank(name: str, document: object) -> int:
    """Rank a sensor of power: the whole board, then what is not known to be a part, then supplies and other parts."""
    context = text_at(document, "/PhysicalContext") or ""
    words = f"{name} {text_at(document, '/Name') or ''}"
    if context in ("Chassis", "SystemBoard") or _WHOLE_NAME.search(words):
        return 0
    return 2 if _PART_NAME.search(words) or context not in ("", "Room", "Other") else 1
