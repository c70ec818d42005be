"""Which chassis of a service is the server, and whether that server is switched on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wattmark_drivers.catalogue.redfish_map import RedfishMap
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.http_client.json_body import number_of, point, text_at
from wattmark_drivers.redfish.session import Resource, local_path
from wattmark_drivers.redfish.walk import Walker, last_part

MOST_SYSTEMS = 16
OFF = "Off"
"""The value of PowerState (DSP0268) of a server that is switched off."""


@dataclass(frozen=True, slots=True)
class Systems:
    """The computer systems of a service, as far as they can be read, and how many it lists."""

    resources: tuple[Resource, ...]
    listed: int = 0

    def of(self, chassis: Resource) -> Resource | None:
        """Find the system that a chassis holds: by its link, by the link of the system, or by the same id."""
        linked = _links(chassis, "/Links/ComputerSystems")
        for system in self.resources:
            if _path(system) in linked:
                return system
        for system in self.resources:
            if _path(chassis) in _links(system, "/Links/Chassis"):
                return system
        return next((system for system in self.resources if id_of(system) == id_of(chassis)), None)

    def held_by(self, chassis: Resource) -> tuple[list[str], int]:
        """List the names of the systems in a chassis, by its links and theirs, and how many it counts."""
        paths = set(_links(chassis, "/Links/ComputerSystems"))
        paths |= {_path(system) for system in self.resources if _path(chassis) in _links(system, "/Links/Chassis")}
        counted = number_of(point(chassis.document, "/Links/ComputerSystems@odata.count")) or 0
        return [last_part(path) for path in sorted(paths)], max(len(paths), int(counted))


async def find_systems(walker: Walker, root: Resource) -> Systems:
    """Read the computer systems; none where this user may not read them."""
    path = local_path(point(root.document, "/Systems/@odata.id"))
    collection = None if path is None else await walker.try_get(path)
    links = [] if collection is None else await walker.links(collection)
    members = [] if collection is None else await walker.members(collection)
    return Systems(tuple(members[:MOST_SYSTEMS]), len(set(links)))


async def find_chassis(walker: Walker, root: Resource, wanted: str | None) -> list[Resource]:
    """Read the chassis of a service, or the ``wanted`` one. Raises `ConfigurationError` or `ConnectionFailed`."""
    path = local_path(point(root.document, "/Chassis/@odata.id"))
    collection = None if path is None else await walker.try_get(path)
    links = [] if collection is None else await walker.links(collection)
    if wanted is not None and any(last_part(link) == wanted for link in links):
        chosen = [await walker.try_get(link) for link in links if last_part(link) == wanted]
        chassis = [item for item in chosen if item is not None]
    else:
        chassis = [] if collection is None else await walker.members(collection)
    if not chassis:
        raise walker.forbidden or walker.broken or _no_chassis(collection)
    named = [item for item in chassis if wanted in (None, id_of(item), last_part(item.path))]
    if not named:
        raise ConfigurationError(f"The Redfish service has no chassis {wanted}.", f"It has {names_of(chassis)}.")
    return named


def ranked(chassis: Sequence[Resource], systems: Systems, table: RedfishMap) -> list[list[Resource]]:
    """Group the chassis: whole ones that hold a computer system, parts that do, other whole ones, other parts."""
    groups: list[list[Resource]] = [[], [], [], []]
    for item in chassis:
        holds = systems.of(item) is not None or bool(_list_at(item.document, "/Links/ComputerSystems"))
        part = text_at(item.document, "/ChassisType") in table.parts
        groups[(0 if holds else 2) + part].append(item)
    return [group for group in groups if group]


def host_of(chassis: Resource, systems: Systems) -> Resource | None:
    """Find the resource that reports whether the server is on; None where none does."""
    system = systems.of(chassis)
    for resource in (system, chassis):
        if resource is not None and text_at(resource.document, "/PowerState") is not None:
            return resource
    return None


def is_off(host: Resource | None) -> bool:
    """Return whether the service reports that the server is switched off."""
    return host is not None and (text_at(host.document, "/PowerState") or "").casefold() == OFF.casefold()


def id_of(resource: Resource) -> str:
    """Return what a resource calls itself."""
    return text_at(resource.document, "/Id") or last_part(resource.path)


def chassis_of(system: Resource) -> list[str]:
    """List the names of the chassis that a system says it is in."""
    return [last_part(path) for path in _links(system, "/Links/Chassis")]


def names_of(chassis: Sequence[Resource]) -> str:
    """List some chassis by name."""
    names = [id_of(item) for item in chassis]
    return ", ".join(names[:12]) + (" ..." if len(names) > 12 else "")


async def firmware_of(walker: Walker, chassis: Resource) -> str | None:
    """Find the firmware version of the BMC that manages a chassis; None where it does not tell."""
    path = local_path(point(chassis.document, "/Links/ManagedBy/0/@odata.id"))
    manager = None if path is None else await walker.try_get(path)
    return None if manager is None else text_at(manager.document, "/FirmwareVersion")


def serial_of(chassis: Resource) -> str | None:
    """Find the serial number of a chassis; a simulator has its mark there or in the asset tag."""
    tag = text_at(chassis.document, "/AssetTag")
    return tag if tag and tag.startswith("SIMULATED") else text_at(chassis.document, "/SerialNumber", "/PartNumber")


def check(resource: Resource) -> None:
    """Refuse a resource that is not a document. Raises `BadReply`."""
    if not isinstance(resource.document, dict):
        raise BadReply(f"{resource.path} is not a Redfish resource.", "wattmark retries automatically.")


def _path(resource: Resource) -> str:
    return resource.path.rstrip("/")


def _links(resource: Resource, pointer: str) -> list[str]:
    paths = (local_path(point(item, "/@odata.id")) for item in _list_at(resource.document, pointer))
    return [path.rstrip("/") for path in paths if path is not None]


def _list_at(document: object, pointer: str) -> list[object]:
    value = point(document, pointer)
    return value if isinstance(value, list) else []


def _no_chassis(collection: Resource | None) -> ConnectionFailed:
    if collection is None:
        return ConnectionFailed(
            "The Redfish service has no list of chassis.",
            "Check that the BMC has finished starting, and that the user may read sensors.",
        )
    return ConnectionFailed(
        "The Redfish service has no chassis: its list is empty.",
        "Give the user the right to read sensors; some BMCs fill the list only while the server is on.",
    )
