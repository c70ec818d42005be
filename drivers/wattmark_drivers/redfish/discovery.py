"""Find out what a Redfish service measures: its chassis, and for each group the first resource with a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wattmark_drivers.catalogue.redfish_map import RedfishMap, RedfishResource
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.http_client.json_body import point, text_at
from wattmark_drivers.reading import Channel, Kind
from wattmark_drivers.redfish.session import Resource, local_path
from wattmark_drivers.redfish.values import Value, applies, unique, values_of
from wattmark_drivers.redfish.walk import Walker

POWER = "power"


@dataclass(frozen=True, slots=True)
class Source:
    """A resource that is polled, as it was found, and the channels that it gives."""

    found: Resource
    member: str | None
    declared: RedfishResource
    channels: tuple[Channel, ...]


@dataclass(frozen=True, slots=True)
class Discovered:
    """A chassis and what it measures."""

    chassis: Resource
    sources: tuple[Source, ...]

    @property
    def channels(self) -> list[Channel]:
        """List the channels, power first."""
        channels = [channel for source in self.sources for channel in source.channels]
        return sorted(channels, key=lambda channel: channel.id != POWER)

    @property
    def has_power(self) -> bool:
        """Return whether the chassis reports its power."""
        return any(channel.id == POWER for channel in self.channels)


async def discover(walker: Walker, root: Resource, table: RedfishMap, wanted: str | None, kind: Kind) -> Discovered:
    """Find the chassis and its resources. Raises `ConfigurationError`, `ConnectionFailed` or `AuthenticationFailed`."""
    path = local_path(point(root.document, "/Chassis/@odata.id"))
    collection = None if path is None else await walker.try_get(path)
    chassis = [] if collection is None else await walker.members(collection)
    if not chassis:
        raise walker.forbidden or ConnectionFailed("The Redfish service has no chassis.", "Give the user more rights.")
    if wanted is not None:
        chosen = [item for item in chassis if _id(item) == wanted]
        if not chosen:
            raise ConfigurationError(f"The Redfish service has no chassis {wanted}.", f"It has {_list(chassis)}.")
        return await _take(walker, chosen[0], table, kind)
    return await _only_one_with_power(walker, chassis, table, kind)


async def _only_one_with_power(walker: Walker, chassis: list[Resource], table: RedfishMap, kind: Kind) -> Discovered:
    power = [declared for declared in table.resources if declared.group == POWER]
    powered = [item for item in chassis if (await _look(walker, item, table, power, kind)).has_power]
    if len(powered) > 1:
        raise ConfigurationError("Several chassis tell their power.", f"Write one into the address: {_list(powered)}.")
    if not powered:
        raise walker.forbidden or _no_power(_list(chassis))
    return await _take(walker, powered[0], table, kind)


async def _take(walker: Walker, chassis: Resource, table: RedfishMap, kind: Kind) -> Discovered:
    source = await _look(walker, chassis, table, table.resources, kind)
    if not source.has_power:
        raise walker.forbidden or _no_power(_list([chassis]))
    return source


def _no_power(names: str) -> DriverError:
    return ConnectionFailed(
        f"No number for power is given by the chassis {names}.",
        "Switch the server on, choose another chassis in the address, or read the BMC by ipmi://.",
    )


async def _look(
    walker: Walker, chassis: Resource, table: RedfishMap, resources: Sequence[RedfishResource], kind: Kind
) -> Discovered:
    """Select from each group the first declared resource that gives a number."""
    sources: list[Source] = []
    groups: set[str] = set()
    taken: set[str] = set()
    for declared in resources:
        if declared.group in groups:
            continue
        for resource in await walker.follow(chassis, declared.path):
            document = resource.resource.document
            values = (
                unique(values_of(declared, document, resource.member), taken) if applies(declared, document) else []
            )
            if any(value.quality.usable for value in values):
                channels = tuple(_channel(value, declared, table, kind) for value in values)
                sources.append(Source(resource.resource, resource.member, declared, channels))
                groups.add(declared.group)
                taken |= {channel.id for channel in channels}
    return Discovered(chassis, tuple(sources))


def _channel(value: Value, declared: RedfishResource, table: RedfishMap, kind: Kind) -> Channel:
    item = value.declared
    period_s = table.sensors_period_s if declared.slow else None
    return Channel(value.channel, item.quantity, item.unit, item.kind or kind, value.label, item.resolution, period_s)


def _id(chassis: Resource) -> str:
    return text_at(chassis.document, "/Id") or chassis.path.rstrip("/").rpartition("/")[2]


def _list(chassis: list[Resource]) -> str:
    names = [_id(item) for item in chassis]
    return ", ".join(names[:12]) + (" ..." if len(names) > 12 else "")


async def firmware_of(walker: Walker, chassis: Resource) -> str | None:
    """Find the firmware version of the BMC that manages a chassis; None where it does not tell."""
    path = local_path(point(chassis.document, "/Links/ManagedBy/0/@odata.id"))
    manager = None if path is None else await walker.try_get(path)
    return None if manager is None else text_at(manager.document, "/FirmwareVersion")


def serial_of(chassis: Resource) -> str | None:
    """Find the serial number of a chassis; a simulator says what it is there or in the asset tag."""
    tag = text_at(chassis.document, "/AssetTag")
    return tag if tag and tag.startswith("SIMULATED") else text_at(chassis.document, "/SerialNumber", "/PartNumber")


def check(resource: Resource) -> None:
    """Refuse a resource that is no document. Raises `BadReply`."""
    if not isinstance(resource.document, dict):
        raise BadReply(f"{resource.path} is no Redfish resource.", "It is tried again by itself.")
