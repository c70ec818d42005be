"""Memory slots as `dmidecode -t 17` prints them (SMBIOS type 17, Memory Device; DMTF DSP0134, clause 7.18).

The firmware's tables can be read by root only. `WAYS` are the commands that give them to others, in the order in which
they are tried; docker/README.md says how each is set up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

_FIELD = re.compile(r"^\s+([A-Z][A-Za-z /()-]{0,60}):[ \t]*(.{0,200})$")
_SIZE = re.compile(r"(\d{1,12}) (kB|MB|GB|TB)")
_SPEED = re.compile(r"([1-9]\d{1,5}) (?:MT/s|MHz)")
_PER_GIB = {"kB": 2.0**-20, "MB": 2.0**-10, "GB": 1.0, "TB": 1024.0}
_NO_MEMORY = frozenset({"flash", "rom", "eprom", "eeprom", "feprom"})
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
"""sudo is for servers over SSH, where a line of sudoers allows this one command."""
PRIVATE = ("Serial Number:", "Asset Tag:", "UUID:")
_BOOT = re.compile(r"# boot ([0-9a-f-]{36})\s*")
NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9._+-]+")


@dataclass(frozen=True, slots=True)
class DmiSlot:
    """One slot: its names on the board and what it holds; ``capacity_gib`` None: nothing.

    ``module_type`` is a word of the inventory where the firmware reports it ("FB-DIMM", "RDIMM", "LRDIMM", "UDIMM",
    "SO-DIMM"), else None.
    """

    locator: str
    bank: str
    capacity_gib: float | None
    module_type: str | None
    part: str | None
    speed_mts: int | None = None
    """The speed that is set, else that of the module [MT/s]; ``ranks`` likewise None where it is not reported."""
    ranks: int | None = None
    unknown: bool = False
    """The firmware knows that the slot holds something, and not what."""


def parse_memory_devices(text: str) -> tuple[DmiSlot, ...]:
    """Read the slots out of dmidecode's text, empty ones too; other structures in it are passed over.

    A size of "No Module Installed" is an empty slot, one of "Unknown" holds an unknown module and is excluded from the
    counts. Flash and firmware chips are not memory modules.
    """
    devices = (_fields(block) for block in _blocks(text))
    return tuple(
        _slot(fields) for fields in devices if "Size" in fields and fields.get("Type", "").lower() not in _NO_MEMORY
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
        speed_mts=_speed(fields),
        ranks=int(fields["Rank"]) if re.fullmatch(r"[1-9]\d?", fields.get("Rank", "")) else None,
        unknown=fields["Size"] == "Unknown",
    )


def _speed(fields: dict[str, str]) -> int | None:
    """Return the configured speed, which older dmidecodes call a clock speed, else that of the module."""
    for name in ("Configured Memory Speed", "Configured Clock Speed", "Speed"):
        if match := _SPEED.fullmatch(fields.get(name, "")):
            return int(match[1])
    return None


def _capacity(size: str) -> float | None:
    match = _SIZE.fullmatch(size)
    gib = int(match[1]) * _PER_GIB[match[2]] if match else 0.0
    return gib or None


def _module_type(fields: dict[str, str]) -> str | None:
    """Return the kind of module by form factor, type and type detail."""
    form, kind, detail = (fields.get(name, "") for name in ("Form Factor", "Type", "Type Detail"))
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


def commands(*, here: bool) -> Mapping[SlotsWay, tuple[str, ...]]:
    """Return the commands to try on this machine (``here``), or on another over SSH."""
    return {way: argv for way, argv in WAYS.items() if way != "sudo" or not here}


def without_private(lines: Iterable[str]) -> list[str]:
    """Remove serial numbers, asset tags and the UUID of the system."""
    return [line for line in lines if not line.strip().startswith(PRIVATE)]


def lists_slots(lines: Iterable[str]) -> bool:
    """Return whether a text lists memory slots at all."""
    return any(line.strip() == "Memory Device" for line in lines)


def boot_of(lines: Iterable[str]) -> str | None:
    """Return the boot in which the file of wattmark-inventory.service was written; None where it does not say."""
    match = _BOOT.fullmatch(next(iter(lines), ""))
    return match[1] if match else None


def slot_names(slots: tuple[DmiSlot, ...]) -> list[str]:
    """Name each slot after its locator; where boards repeat a locator, prefix its bank or append a number."""
    locators = [NOT_IN_A_NAME.sub("_", slot.locator).strip("_.+-") or "slot" for slot in slots]
    if len(set(locators)) < len(locators):
        locators = [NOT_IN_A_NAME.sub("_", f"{slot.bank}_{slot.locator}").strip("_.+-") or "slot" for slot in slots]
    seen: dict[str, int] = {}
    names = []
    for locator in (locator[:60] for locator in locators):
        seen[locator] = seen.get(locator, 0) + 1
        names.append(locator if seen[locator] == 1 else f"{locator}.{seen[locator]}")
    return names
