"""What a BMC lists of its server by Redfish: memory slots, processors and BIOS.

The resources are Memory, Processor and ComputerSystem of DSP0268. Serial numbers and asset tags are not read.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import find_model
from wattmark_drivers.catalogue.redfish_map import RedfishMap
from wattmark_drivers.clock import Clock, SystemClock
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.http_client.client import HttpClient
from wattmark_drivers.http_client.json_body import number_of, point, text_at, word_at
from wattmark_drivers.http_client.secret import fetch_password
from wattmark_drivers.redfish.address import RedfishAddress
from wattmark_drivers.redfish.chassis import Systems, find_chassis, find_systems, id_of
from wattmark_drivers.redfish.session import Credentials, RedfishSession, Resource, local_path
from wattmark_drivers.redfish.values import ABSENT
from wattmark_drivers.redfish.walk import Walker, links_of, next_page
from wattmark_drivers.settings import MeterSettings

MOST_SLOTS = 512
"""A server of eight processors with twelve channels each has 192."""
MOST_PROCESSORS = 64
MOST_BYTES = 16 << 20
"""All answers of one inventory together [bytes]: 32 KiB for each of the slots."""
MIB_PER_GIB = 1024
ON_THE_CARD = ("HBM", "GDDR")
"""Begin of the device types of memory that is part of a processor or an accelerator, and not in a slot."""
_PLACES = (("Socket", "socket"), ("MemoryController", "controller"), ("Channel", "channel"), ("Slot", "slot"))


@dataclass(frozen=True, slots=True)
class MemorySlot:
    """A slot by its name on the board; ``capacity_gib`` None: nothing is in it, or ``size_unknown``.

    ``memory_type``, ``device_type`` and ``module_type`` are words of Redfish ("DRAM", "DDR4", "RDIMM"); None: the BMC
    does not tell.
    """

    name: str
    capacity_gib: float | None
    place: str | None = None
    size_unknown: bool = False
    """A module of which the BMC does not state the size."""
    memory_type: str | None = None
    device_type: str | None = None
    module_type: str | None = None
    speed_mts: int | None = None
    """The speed that is set, in MHz or MT/s, as the schema leaves open."""
    ranks: int | None = None
    maker: str | None = None
    part: str | None = None


@dataclass(frozen=True, slots=True)
class Processor:
    """A processor in its socket."""

    socket: str
    model: str | None
    cores: int | None
    threads: int | None


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a BMC lists of one computer system; its name there is left out, which may be a serial number."""

    bios: str | None
    processors: tuple[Processor, ...]
    slots: tuple[MemorySlot, ...]


async def read_inventory(settings: MeterSettings, clock: Clock | None = None) -> Inventory:
    """Read the inventory of the server whose power the BMC at this address measures. Raises a `DriverError`.

    It is whole or an error: a slot that could not be read would look like an empty one.
    """
    declaration = find_model(settings.model)
    address, transport = parse_address(settings.url, declaration, f"the BMC {settings.name}")
    table = declaration.protocol
    if not isinstance(address, RedfishAddress) or not isinstance(table, RedfishMap):
        raise ConfigurationError(f"The BMC {settings.name} is not reached by Redfish.", "Give it a Redfish url.")
    timeout_s = settings.timeout_s or (transport.timeout_s if address.wait_s is None else float(address.wait_s))
    client = HttpClient(address.origin, timeout_s, clock or SystemClock())
    credentials = Credentials(settings.username, partial(fetch_password, settings), address.login)
    session = RedfishSession(client, credentials, table.root)
    try:
        walker, root = Walker(session), await session.start()
        system = await _system(walker, root, address.chassis)
        slots = [_slot(member) for member in await _members(session, system, "Memory", MOST_SLOTS)]
        processors: tuple[Processor, ...] = ()
        with contextlib.suppress(BadReply):  # beside the memory they are of use, but not needed
            found = await _members(session, system, "Processors", MOST_PROCESSORS)
            processors = tuple(_processor(member) for member in found if _is_cpu(member))
        return Inventory(
            bios=text_at(system.document, "/BiosVersion"),
            processors=processors,
            slots=tuple(slot for slot in slots if not (slot.device_type or "").startswith(ON_THE_CARD)),
        )
    finally:
        await session.stop()


async def _system(walker: Walker, root: Resource, chassis: str | None) -> Resource:
    """Find the computer system of a chassis, or the only one of the service.

    Where there are several, the one that lists its memory need not be the one whose power is measured. What is raised
    goes into records, so it names no system: some makers call it by its serial number.
    """
    systems = await find_systems(walker, root)
    if chassis is not None:
        found = await find_chassis(walker, root, chassis)
        named = {system.path: system for item in found for system in _held(item, systems)}
    else:
        named = {system.path: system for system in systems.resources}
        if systems.listed > 1:
            raise ConfigurationError(
                f"The BMC has {systems.listed} servers, and which of them is meant is not known.",
                "Add the chassis of the server to the address.",
            )
    listing = [
        system for system in named.values() if local_path(point(system.document, "/Memory/@odata.id")) is not None
    ]
    if not listing:
        raise walker.forbidden or ConnectionFailed(
            "The BMC lists no memory of the server.",
            "Update its firmware, and give the user the right to read the inventory.",
        )
    if len(listing) > 1:
        raise ConfigurationError(
            f"{len(listing)} servers in chassis {chassis} list memory.",
            "Name the chassis of one of them in the address.",
        )
    return listing[0]


def _held(chassis: Resource, systems: Systems) -> list[Resource]:
    """Return the one system in a chassis. Raises `ConfigurationError` where it holds several."""
    _, count = systems.held_by(chassis)
    if count > 1:
        raise ConfigurationError(
            f"The chassis {id_of(chassis)} holds {count} servers.", "Name the chassis of one of them in the address."
        )
    system = systems.of(chassis)
    return [] if system is None else [system]


async def _members(session: RedfishSession, system: Resource, name: str, most: int) -> Sequence[Resource]:
    """Read every member of a collection of the system, each once. Raises a `DriverError` where one is missing."""
    path = local_path(point(system.document, f"/{name}/@odata.id"))
    if path is None:
        return ()
    links, counted = await _all_links(session, path, most)
    if len(links) > most or (counted is not None and counted != len(links)):
        raise BadReply(
            f"The BMC counts {counted or len(links):g} entries of {name} and lists {len(links)}.",
            "Its inventory is not whole; update its firmware.",
        )
    return [await _get(session, link) for link in links]


async def _all_links(session: RedfishSession, path: str, most: int) -> tuple[list[str], float | None]:
    """List the members of a collection over all its pages, each once, and how many the BMC counts; None: it does not.

    Ends where there are more than ``most``. Raises a `DriverError` where a page cannot be read.
    """
    links: dict[str, str] = {}
    pages: set[str] = set()
    counted: float | None = None
    following: str | None = path
    while following is not None and following not in pages and len(links) <= most:
        pages.add(following)
        page = await _get(session, following)
        links |= {link.rstrip("/"): link for link in links_of(page)}
        count = number_of(point(page.document, "/Members@odata.count"))
        counted = counted if count is None else count
        following = next_page(page)
        if following is None and text_at(page.document, "/Members@odata.nextLink") is not None:
            raise BadReply(f"The BMC does not say where {path} goes on.", "Update the firmware of the BMC.")
    return list(links.values()), counted


async def _get(session: RedfishSession, path: str) -> Resource:
    """Read a resource of the inventory. Raises `BadReply` where all together are longer than any inventory."""
    resource = await session.get(path)
    if session.bytes_read > MOST_BYTES:
        raise BadReply(
            f"The BMC sent more than {MOST_BYTES >> 20} MiB for its inventory.", "Update the firmware of the BMC."
        )
    return resource


def _slot(member: Resource) -> MemorySlot:
    document = member.document
    capacity_mib, state = number_of(point(document, "/CapacityMiB")), text_at(document, "/Status/State")
    # DSP0268: what is Absent is not there; a capacity may be null, or left out, of a module that is
    filled = state != ABSENT and capacity_mib != 0
    capacity_gib = _capacity_gib(capacity_mib) if filled else None
    return MemorySlot(
        name=text_at(document, "/DeviceLocator", "/Name") or id_of(member),
        capacity_gib=capacity_gib,
        place=_place(document),
        size_unknown=filled and capacity_gib is None,
        memory_type=text_at(document, "/MemoryType"),
        device_type=text_at(document, "/MemoryDeviceType"),
        module_type=text_at(document, "/BaseModuleType"),
        speed_mts=_count(document, "/OperatingSpeedMhz"),
        ranks=_count(document, "/RankCount"),
        maker=text_at(document, "/Manufacturer"),
        part=text_at(document, "/PartNumber"),
    )


def _capacity_gib(mib: float | None) -> float | None:
    """Convert the capacity [MiB] to GiB; None where there is none.

    Firmware of AMI divides by 1000 where it should by 1024: it gives 15625 for a module of 16 GiB (Gigabyte H262-Z63).
    """
    if mib is None or mib <= 0:
        return None
    if mib % 256:
        thousands = round(mib * 1.024 / 1000)
        if thousands and int(thousands * 1000 / 1.024) == int(mib):
            return float(thousands)
    return mib / MIB_PER_GIB


def _place(document: object) -> str | None:
    """Describe where the module is: "socket 1, controller 3, channel 3, slot 1"."""
    words = [(label, word_at(document, f"/MemoryLocation/{name}")) for name, label in _PLACES]
    return ", ".join(f"{label} {word}" for label, word in words if word is not None) or None


def _count(document: object, pointer: str) -> int | None:
    number = number_of(point(document, pointer))
    return int(number) if number is not None and 1 <= number <= 1_000_000 else None


def _is_cpu(member: Resource) -> bool:
    present = text_at(member.document, "/Status/State") != ABSENT
    return present and text_at(member.document, "/ProcessorType") in (None, "CPU")


def _processor(member: Resource) -> Processor:
    document = member.document
    return Processor(
        socket=text_at(document, "/Socket") or id_of(member),
        model=text_at(document, "/Model"),
        cores=_count(document, "/TotalCores"),
        threads=_count(document, "/TotalThreads"),
    )
