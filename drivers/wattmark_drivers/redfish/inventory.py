"""What a BMC lists of its server by Redfish: memory slots, processors and BIOS.

The resources are Memory, Processor and ComputerSystem of DSP0268. Serial numbers and asset tags are not read.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import find_model
from wattmark_drivers.catalogue.redfish_map import RedfishMap
from wattmark_drivers.clock import Clock, SystemClock
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.http_client.client import HttpClient
from wattmark_drivers.http_client.json_body import number_of, point, text_at, word_at
from wattmark_drivers.http_client.secret import fetch_password
from wattmark_drivers.redfish.address import RedfishAddress
from wattmark_drivers.redfish.chassis import Systems, chassis_of, find_chassis, find_systems, id_of
from wattmark_drivers.redfish.session import Credentials, RedfishSession, Resource, local_path
from wattmark_drivers.redfish.values import ABSENT
from wattmark_drivers.redfish.walk import Walker, last_part, links_of, next_page
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.stated_text import stated

MOST_SLOTS = 512
"""A server of eight processors with twelve channels each has 192."""
MOST_PROCESSORS = 64
MOST_BYTES = 16 << 20
"""All answers of one inventory together [bytes]: 32 KiB for each of the slots."""
MIB_PER_GIB = 1024
ON_THE_CARD = ("HBM", "GDDR")
"""Begin of the device types of memory that is part of a processor or an accelerator, and not in a slot."""
CPU = "CPU"
"""The ProcessorType (DSP0268) of what a server has; others are accelerators."""
INSIDE = ("Virtual", "OS", "VirtuallyPartitioned", "DPU")
"""SystemTypes (DSP0268) of what runs on a server or sits in one."""
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
            members = await _members(session, system, "Processors", MOST_PROCESSORS)
            processors = tuple(_processor(member) for member in members if _is_cpu(member))
        return Inventory(
            bios=text_at(system.document, "/BiosVersion"),
            processors=processors,
            slots=tuple(slot for slot in slots if not (slot.device_type or "").startswith(ON_THE_CARD)),
        )
    finally:
        await session.stop()


async def _system(walker: Walker, root: Resource, chassis: str | None) -> Resource:
    """Find the computer system that is the server: the only one that can be, in the chassis or else of the service.

    Where several can be, the one that lists its memory need not be the one whose power is measured. One that this user
    may not read can be, too.
    """
    systems = await find_systems(walker, root)
    servers: dict[str, Resource] = {}
    unread = 0
    for item in [] if chassis is None else await find_chassis(walker, root, chassis):
        members, missing = _held(item, systems)
        servers |= await _servers(walker, members, systems)
        unread += missing
    where = f"The chassis {chassis} holds"
    if not servers and not unread:  # the power may be that of a chassis for the supplies alone
        servers = await _servers(walker, systems.resources, systems)
        unread, where = systems.listed - len({system.path for system in systems.resources}), "The BMC has"
    if len(servers) + unread > 1:
        raise await _several(f"{where} {len(servers) + unread} servers", servers.values(), walker, root)
    for server in servers.values():
        if local_path(point(server.document, "/Memory/@odata.id")) is not None:
            return server
    raise walker.forbidden or ConnectionFailed(
        "The BMC lists no memory of the server.",
        "Update its firmware, and give the user the right to read the inventory.",
    )


async def _servers(walker: Walker, members: Iterable[Resource], systems: Systems) -> dict[str, Resource]:
    """Return the computer systems that can be a server, by their paths."""
    alone = len(systems.resources) == 1
    return {
        system.path: system
        for system in members
        if text_at(system.document, "/SystemType") not in INSIDE
        and any(local_path(point(system.document, f"/{part}/@odata.id")) for part in ("Memory", "Processors"))
        and (alone or await _may_have_cpu(walker, system))
    }


async def _may_have_cpu(walker: Walker, system: Resource) -> bool:
    """Return whether a computer system has a CPU, as far as it can be read.

    A board of GPUs is a system of its own in many services: NVIDIA's HGX_Baseboard_0 beside the server.
    """
    path = local_path(point(system.document, "/Processors/@odata.id"))
    collection = None if path is None else await walker.try_get(path)
    members = [] if collection is None else await walker.members(collection)
    types = {text_at(member.document, "/ProcessorType") for member in members}
    return not types or None in types or CPU in types


def _held(chassis: Resource, systems: Systems) -> tuple[list[Resource], int]:
    """Return the computer systems in a chassis, and how many of them could not be read."""
    names, count = systems.held_by(chassis)
    members = [system for system in systems.resources if last_part(system.path) in names]
    if not names and (of_this_name := systems.of(chassis)) is not None:
        members = [of_this_name]
    return members, max(0, count - len(members))


async def _several(cause: str, servers: Iterable[Resource], walker: Walker, root: Resource) -> ConfigurationError:
    """Build the error of several servers, with the chassis by which each can be chosen.

    It goes into records, so it names no system: some makers call it by its serial number.
    """
    chassis: set[str] = set()
    with contextlib.suppress(DriverError):
        chassis = {last_part(item.path) for item in await find_chassis(walker, root, None)}
    names = [name for server in servers for name in [*chassis_of(server), last_part(server.path)] if name in chassis]
    named = f" They are in the chassis {', '.join(dict.fromkeys(names))}." if names else ""
    return ConfigurationError(
        f"{cause}, and which of them is meant is not known.{named}",
        "Add the chassis of the server to the address of its BMC: redfish://HOST/CHASSIS.",
    )


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
    capacity_gib = _capacity_gib(capacity_mib) if state != ABSENT else None
    slot = MemorySlot(
        name=text_at(document, "/DeviceLocator", "/Name") or id_of(member),
        capacity_gib=capacity_gib,
        place=_place(document),
        memory_type=text_at(document, "/MemoryType"),
        device_type=text_at(document, "/MemoryDeviceType"),
        module_type=text_at(document, "/BaseModuleType"),
        speed_mts=_count(document, "/OperatingSpeedMhz"),
        ranks=_count(document, "/RankCount"),
        maker=stated(text_at(document, "/Manufacturer")),
        part=stated(text_at(document, "/PartNumber")),
    )
    # some services state of an empty slot what it takes: memory and device types, but nothing of a module
    of_module = (slot.module_type, slot.speed_mts, slot.ranks, slot.maker, slot.part)
    is_there = state != ABSENT and any(fact is not None for fact in of_module)
    return replace(slot, size_unknown=is_there and capacity_gib is None)


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
    return present and text_at(member.document, "/ProcessorType") in (None, CPU)


def _processor(member: Resource) -> Processor:
    document = member.document
    return Processor(
        socket=text_at(document, "/Socket") or id_of(member),
        model=text_at(document, "/Model"),
        cores=_count(document, "/TotalCores"),
        threads=_count(document, "/TotalThreads"),
    )
