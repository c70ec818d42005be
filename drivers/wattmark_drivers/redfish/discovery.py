"""Find out what a Redfish service measures: its chassis, and for each group the first resource with a number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wattmark_drivers.catalogue.redfish_map import RedfishMap, RedfishResource
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.http_client.json_body import number_of, point
from wattmark_drivers.reading import Channel, Kind
from wattmark_drivers.redfish.chassis import find_chassis, find_systems, host_of, is_off, names_of, ranked
from wattmark_drivers.redfish.labels import describe, doubt_about, supplies_side
from wattmark_drivers.redfish.session import Resource
from wattmark_drivers.redfish.supplies import SupplyCheck
from wattmark_drivers.redfish.values import ABSENT, Value, applies, total_of, unique, values_of
from wattmark_drivers.redfish.walk import Found, Walker, last_part

POWER = "power"
MOST_SENSORS_NAMED = 12
_POWER_NAME = re.compile(r".*(power|pwr|watts?)[_0-9]*", re.IGNORECASE)
"""How sensors of power are called, by the last part of their paths."""


@dataclass(frozen=True, slots=True)
class Source:
    """The resources that are polled for some channels, as they were found; several where their values are added."""

    parts: tuple[Found, ...]
    declared: RedfishResource
    channels: tuple[Channel, ...]

    def values(self, documents: Sequence[object]) -> dict[str, Value]:
        """Read the values of its channels from fresh documents of its resources."""
        values = [
            value
            for part, document in zip(self.parts, documents, strict=True)
            for value in values_of(self.declared, document, part.member)
        ]
        values = total_of(values) if self.declared.total else unique(values, set())
        return {value.channel: value for value in values}


@dataclass(frozen=True, slots=True)
class Discovered:
    """A chassis, what it measures, the resource that tells whether its server is on, and what was not believed."""

    chassis: Resource
    sources: tuple[Source, ...]
    host: Resource | None = None
    refused: tuple[str, ...] = ()

    @property
    def channels(self) -> list[Channel]:
        """List the channels, power first."""
        channels = [channel for source in self.sources for channel in source.channels]
        return sorted(channels, key=lambda channel: channel.id != POWER)

    @property
    def has_power(self) -> bool:
        """Return whether the chassis reports its power."""
        return any(channel.id == POWER for channel in self.channels)


async def discover(
    walker: Walker, root: Resource, table: RedfishMap, wanted: str | None, kind: Kind, sensor: str | None = None
) -> Discovered:
    """Find the chassis and its resources; ``sensor`` names the one that tells the power.

    Raises `ConfigurationError`, `ConnectionFailed` or `AuthenticationFailed`.
    """
    walker.root = root
    chassis = await find_chassis(walker, root, wanted)
    systems = await find_systems(walker, root)
    look = _Look(walker, table, kind, sensor)
    power = [declared for declared in table.resources if declared.group == POWER]
    refused: list[str] = []
    for group in ranked(chassis, systems, table):
        found = [await look.at(item, power) for item in group]
        powered = [item for item in found if item.has_power]
        refused += [reason for item in found for reason in item.refused]
        if len(powered) > 1:
            names = names_of([item.chassis for item in powered])
            raise ConfigurationError("Several chassis report power.", f"Add one of them to the address: {names}.")
        if powered:
            complete = await look.at(powered[0].chassis, table.resources)
            return replace(complete, host=host_of(powered[0].chassis, systems))
    off = any(is_off(host_of(item, systems)) for item in chassis)
    raise walker.forbidden or await _no_power(walker, chassis, refused, sensor, off=off)


class _Look:
    """Selects from each group the first declared resource that gives a number."""

    def __init__(self, walker: Walker, table: RedfishMap, kind: Kind, sensor: str | None) -> None:
        self._walker = walker
        self._table = table
        self._kind = kind
        self._sensor = sensor

    async def at(self, chassis: Resource, resources: Sequence[RedfishResource]) -> Discovered:
        """Look at one chassis."""
        sources: list[Source] = []
        taken: set[str] = set()
        groups: set[str] = set()
        refused: list[str] = []
        values: list[Value] = []
        for declared in resources:
            if declared.group in groups or (declared.group == POWER and declared.chosen != (self._sensor is not None)):
                continue
            for source, found in await self._sources(chassis, declared, taken, refused):
                sources.append(source)
                values += found
                groups.add(declared.group)
                taken |= {channel.id for channel in source.channels}
        return Discovered(chassis, _with_side(tuple(sources), values), refused=tuple(refused))

    async def _sources(
        self, chassis: Resource, declared: RedfishResource, taken: set[str], refused: list[str]
    ) -> list[tuple[Source, list[Value]]]:
        taken = set(taken)
        sources = []
        for parts, counted in await self._parts(chassis, declared):
            documents = [part.resource.document for part in parts]
            if not all(applies(declared, document) for document in documents):
                continue
            values = list(Source(parts, declared, ()).values(documents).values())
            values = unique(values, taken)
            if any(value.quality.usable for value in values if declared.group != POWER or value.channel == POWER):
                channels = tuple(self._channel(value, declared, parts, counted) for value in values)
                sources.append((Source(parts, declared, channels), values))
                taken |= {channel.id for channel in channels}
            else:
                refused += doubt_about(values)
        return sources

    async def _parts(self, chassis: Resource, declared: RedfishResource) -> list[tuple[tuple[Found, ...], int]]:
        """Find the resources of each source, and how many of them the service counts."""
        wanted = (re.escape(self._sensor),) if declared.chosen and self._sensor else declared.members
        if not declared.total or "*" not in declared.path:
            found = await self._walker.follow(chassis, declared.path, wanted)
            return [((part,), 1) for part in found]
        star = declared.path.index("*")
        collections = await self._walker.follow(chassis, declared.path[:star])
        parts: list[Found] = []
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
                parts.append(Found(ends[0].resource, member.member))
        return [(tuple(parts), len(parts) if wanted else int(counted))] if parts else []

    def _channel(self, value: Value, declared: RedfishResource, parts: Sequence[Found], counted: int) -> Channel:
        item = value.declared
        period_s = self._table.sensors_period_s if declared.slow else None
        label = describe(value, declared, [part.resource for part in parts], counted, self._table.output_names)
        return Channel(
            value.channel, item.quantity, item.unit, item.kind or self._kind, label, item.resolution, period_s
        )


def _with_side(sources: tuple[Source, ...], values: Sequence[Value]) -> tuple[Source, ...]:
    """Say of a power whose side is not stated that it equals what the supplies take in or give out, where it does."""
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


def _relabelled(channel: Channel, side: str) -> Channel:
    if channel.id != POWER:
        return channel
    return replace(channel, label=re.sub(r"side of the supplies not stated", side, channel.label))


async def _no_power(
    walker: Walker, chassis: Sequence[Resource], refused: Sequence[str], sensor: str | None, *, off: bool
) -> DriverError:
    names = names_of(chassis)
    what = f"The chassis {names} reports no power"
    if sensor is not None:
        what = f"No sensor {sensor} of power in W was found at the chassis {names}"
    because = f": {'; '.join(dict.fromkeys(refused))}" if refused else ""
    if off:
        return ConnectionFailed(f"{what}, and the server is switched off{because}.", "Switch the server on.")
    sensors = [name for item in chassis for name in await _power_sensors(walker, item)]
    if sensors:
        listed = ", ".join(sensors[:MOST_SENSORS_NAMED]) + (" ..." if len(sensors) > MOST_SENSORS_NAMED else "")
        remedy = f"Add the sensor of the whole server to the address as sensor=ID, one of: {listed}."
    else:
        remedy = "Switch the server on, choose another chassis in the address, or read the BMC by ipmi://."
    return ConnectionFailed(f"{what}{because}.", remedy)


async def _power_sensors(walker: Walker, chassis: Resource) -> list[str]:
    """List what a chassis calls its sensors of power, by their paths alone."""
    collections = await walker.follow(chassis, ["Sensors"])
    links = [link for found in collections for link in await walker.links(found.resource)]
    return [last_part(link) for link in links if _POWER_NAME.fullmatch(last_part(link))]
