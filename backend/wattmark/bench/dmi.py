"""Memory slots as `dmidecode -t 17` prints them (SMBIOS type 17, Memory Device; DMTF DSP0134, clause 7.18).

The firmware's tables can be read by root only. `WAYS` are the commands that give them to others, in the order in which
they are tried; docker/README.md says how each is set up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from wattmark.runs.configuration import PERSISTENT

_FIELD = re.compile(r"^\s+([A-Z][A-Za-z /()-]{0,60}):[ \t]*(.{0,200})$")
_SIZE = re.compile(r"(\d{1,12}) (kB|MB|GB|TB)")
_SPEED = re.compile(r"([1-9]\d{1,5}) (?:MT/s|MHz)")
_PER_GIB = {"kB": 2.0**-20, "MB": 2.0**-10, "GB": 1.0, "TB": 1024.0}
_NO_MODULES = re.compile(r"flash|rom|e?eprom|feprom|hbm.*", re.IGNORECASE)
"""Types of chips: of firmware, and of memory in the package of a processor."""
_SOLID = re.compile(r"Intel Optane.*|Intel persistent memory|NVDIMM-[FNP]", re.IGNORECASE)
"""What dmidecode calls the memory technologies of DSP0134 that keep their contents without power."""
MOST_SLOTS = 4096
SlotsWay = Literal["dmidecode", "file", "sudo"]
"""How the tables were read: by the service itself, from the file of wattmark-inventory.service, or by sudo."""
INVENTORY_FILE = "/run/wattmark-inventory/dmi"
"""What wattmark-inventory.service writes at every boot, for its group alone."""
WAYS: Mapping[SlotsWay, tuple[str, ...]] = {
    "dmidecode": ("dmidecode", "-t", "17"),
    "file": ("cat", INVENTORY_FILE),
    "sudo": ("sudo", "-n", "/usr/sbin/dmidecode", "-t", "17"),
}
"""sudo is for servers over SSH, where a line of sudoers allows this one command. It is tried only where somebody says
that it does: an attempt that sudo does not allow is reported to root, by mail on many systems."""
BOOT_FILE = "/proc/sys/kernel/random/boot_id"
"""The present boot, as the kernel calls it."""
PRIVATE = ("Serial Number:", "Asset Tag:", "UUID:")
_BOOT = re.compile(r"# boot ([0-9a-f-]{36})\s*")
NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._+-]+")


@dataclass(frozen=True, slots=True)
class DmiSlot:
    """One slot: its names on the board and what it holds; ``capacity_gib`` None: nothing.

    ``module_type`` is a word of the inventory where the firmware reports it ("FB-DIMM", "RDIMM", "LRDIMM", "UDIMM",
    "SO-DIMM", "PMem"), else None.
    """

    locator: str
    bank: str
    capacity_gib: float | None
    module_type: str | None
    part: str | None
    speed_mts: int | None = None
    """The speed that is set [MT/s]; None: it is not reported, as ``rated_mts`` and ``ranks``."""
    rated_mts: int | None = None
    """The highest speed of the module [MT/s]."""
    ranks: int | None = None
    unknown: bool = False
    """The slot holds a module of a size that the firmware does not know."""

    @property
    def filled(self) -> bool:
        """Return whether a module is in the slot."""
        return self.unknown or self.capacity_gib is not None


def parse_memory_devices(text: str) -> tuple[DmiSlot, ...]:
    """Read the slots out of dmidecode's text, empty ones too; other structures in it are passed over.

    A size of "No Module Installed" is an empty slot, one of "Unknown" is that of a module whose size is not known.
    Chips of firmware, and memory in the package of a processor (HBM), are not modules.
    """
    devices = (_fields(block) for block in _blocks(text))
    return tuple(
        _slot(fields) for fields in devices if "Size" in fields and not _NO_MODULES.fullmatch(fields.get("Type", ""))
    )


def _blocks(text: str) -> Iterator[list[str]]:
    """Return the lines of each Memory Device."""
    block: list[str] | None = None
    count = 0
    for line in text.splitlines():
        if line.strip() == "Memory Device":
            if block is not None:
                yield block
            block, count = [], count + 1
            if count > MOST_SLOTS:
                return
        elif block is not None and line[:1] not in (" ", "\t"):
            yield block
            block = None
        elif block is not None:
            block.append(line)
    if block is not None:
        yield block


def _fields(block: list[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in block:
        if match := _FIELD.match(line):
            fields.setdefault(match[1], match[2].strip())
    return fields


def _slot(fields: dict[str, str]) -> DmiSlot:
    return DmiSlot(
        locator=fields.get("Locator", ""),
        bank=fields.get("Bank Locator", ""),
        capacity_gib=_capacity(fields["Size"]),
        module_type=_module_type(fields),
        part=_told(fields.get("Part Number")),
        speed_mts=_speed(fields, "Configured Memory Speed", "Configured Clock Speed"),
        rated_mts=_speed(fields, "Speed"),
        ranks=int(fields["Rank"]) if re.fullmatch(r"[1-9]\d?", fields.get("Rank", "")) else None,
        unknown=fields["Size"] == "Unknown",
    )


def _speed(fields: dict[str, str], *names: str) -> int | None:
    """Return the speed in the first of some fields that states one; older dmidecodes speak of a clock speed."""
    matches = (_SPEED.fullmatch(fields.get(name, "")) for name in names)
    return next((int(match[1]) for match in matches if match), None)


def _capacity(size: str) -> float | None:
    match = _SIZE.fullmatch(size)
    gib = int(match[1]) * _PER_GIB[match[2]] if match else 0.0
    return gib or None


def _module_type(fields: dict[str, str]) -> str | None:
    """Return the kind of module by form factor, type, type detail and technology."""
    form, kind, detail = (fields.get(name, "") for name in ("Form Factor", "Type", "Type Detail"))
    technology = fields.get("Memory Technology", "")
    if kind == "Logical non-volatile device" or "Non-Volatile" in detail or _SOLID.fullmatch(technology):
        return PERSISTENT
    if form == "FB-DIMM" or "FB-DIMM" in kind:
        return "FB-DIMM"
    if "LRDIMM" in detail:
        return "LRDIMM"
    if form == "SODIMM":
        return "SO-DIMM"
    if "Unbuffered" in detail:
        return "UDIMM"
    return "RDIMM" if "Registered" in detail else None


def _told(value: str | None) -> str | None:
    return value if value and value not in ("Not Specified", "Unknown", "NO DIMM") else None


def commands(*, sudo: bool) -> Mapping[SlotsWay, tuple[str, ...]]:
    """Return the commands to try; ``sudo``: also by sudo."""
    return {way: argv for way, argv in WAYS.items() if way != "sudo" or sudo}


def without_private(lines: Iterable[str]) -> list[str]:
    """Remove serial numbers, asset tags and the UUID of the system."""
    return [line for line in lines if not line.strip().startswith(PRIVATE)]


def lists_slots(lines: Iterable[str]) -> bool:
    """Return whether a text lists memory slots at all."""
    return any(line.strip() == "Memory Device" for line in lines)


def why_not_believed(way: SlotsWay, lines: Iterable[str], boot: str | None) -> str | None:
    """Explain why a list of slots need not be that of the present ``boot`` (None: not known); None where it is.

    A file of an earlier boot may list modules that are no longer there.
    """
    if way != "file":
        return None
    match = _BOOT.fullmatch(next(iter(lines), ""))
    if match is None:
        return (
            f"{INVENTORY_FILE} does not begin with the boot in which it was written, as wattmark-inventory.service "
            "writes it"
        )
    if boot is None:
        return f"the present boot is not known, and {INVENTORY_FILE} may be of an earlier one"
    return None if match[1] == boot else f"{INVENTORY_FILE} was written in an earlier boot"


def slot_names(slots: tuple[DmiSlot, ...]) -> list[str]:
    """Name each slot after its locator; where boards repeat a locator, prefix its bank or append a number."""
    locators = [NOT_IN_A_NAME.sub("_", slot.locator).strip("_.+-") or "slot" for slot in slots]
    if len(set(locators)) < len(locators):
        locators = [NOT_IN_A_NAME.sub("_", f"{slot.bank}_{slot.locator}").strip("_.+-") or "slot" for slot in slots]
    return numbered([locator[:60] for locator in locators], "{}.{}")


def numbered(names: Iterable[str], repeated: str) -> list[str]:
    """Append a number to each name that an earlier one has, as ``repeated`` says ("{}.{}": A1, A1.2)."""
    taken: dict[str, int] = {}
    for name in names:
        free = name
        while free in taken:
            taken[name] += 1
            free = repeated.format(name, taken[name])
        taken[free] = 1
    return list(taken)
