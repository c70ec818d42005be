"""Memory slots as `dmidecode -t 17` prints them (SMBIOS type 17, Memory Device; DMTF DSP0134, clause 7.18).

How they are read: `slot_ways`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from wattmark_drivers.stated_text import stated

from wattmark.runs.configuration import PERSISTENT

_FIELD = re.compile(r"^\s+([A-Z][A-Za-z /()-]{0,60}):[ \t]*(.{0,200})$")
_SIZE = re.compile(r"(\d{1,12}) (kB|MB|GB|TB)")
_SPEED = re.compile(r"([1-9]\d{1,5}) (?:MT/s|MHz)")
_PER_GIB = {"kB": 2.0**-20, "MB": 2.0**-10, "GB": 1.0, "TB": 1024.0}
_NO_MODULES = re.compile(r"flash|rom|e?eprom|feprom|hbm.*", re.IGNORECASE)
"""Types of chips: of firmware, and of memory in the package of a processor."""
_SOLID = re.compile(r"Intel Optane.*|Intel persistent memory|NVDIMM-[FP]", re.IGNORECASE)
"""What dmidecode calls the memory technologies of DSP0134 (7.18.6) that are no DRAM and keep their contents."""
_BACKED_UP = "NVDIMM-N"
"""DRAM that works as such, and whose contents are saved when power fails (JESD245)."""
MOST_SLOTS = 4096
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
        part=stated(fields.get("Part Number")),
        speed_mts=_speed(fields, "Configured Memory Speed", "Configured Clock Speed"),
        rated_mts=_speed(fields, "Speed"),
        ranks=int(fields["Rank"]) if re.fullmatch(r"[1-9]\d?", fields.get("Rank", "")) else None,
        unknown=fields["Size"] == "Unknown",
    )


def _speed(fields: dict[str, str], *names: str) -> int | None:
    """Return the speed in the first of some fields that states one [MT/s].

    A dmidecode before 3.2 calls the fields clock speeds and their unit MHz. The number is the same: DSP0134 has it in
    megatransfers per second (offsets 15h and 20h).
    """
    matches = (_SPEED.fullmatch(fields.get(name, "")) for name in names)
    return next((int(match[1]) for match in matches if match), None)


def _capacity(size: str) -> float | None:
    match = _SIZE.fullmatch(size)
    gib = int(match[1]) * _PER_GIB[match[2]] if match else 0.0
    return gib or None


def _module_type(fields: dict[str, str]) -> str | None:
    """Return the kind of module by form factor, type, type detail and technology."""
    form, kind, detail = (fields.get(name, "") for name in ("Form Factor", "Type", "Type Detail"))
    if _is_persistent(kind, detail, fields.get("Memory Technology", "")):
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


def _is_persistent(kind: str, detail: str, technology: str) -> bool:
    """Return whether a module is persistent memory, and no DRAM.

    The bit "Non-Volatile" alone says so of what is no DRAM by its type: it is set for DRAM that is backed up, too.
    """
    if technology.casefold() == _BACKED_UP.casefold():
        return False
    if kind == "Logical non-volatile device" or _SOLID.fullmatch(technology):
        return True
    return "Non-Volatile" in detail and not kind.startswith("DDR")


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
