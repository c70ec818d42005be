"""Memory slots as `dmidecode -t 17` prints them (SMBIOS type 17, Memory Device; DMTF DSP0134, clause 7.18)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FIELD = re.compile(r"^\s+([A-Z][A-Za-z /()-]{0,60}):[ \t]*(.{0,200})$")
_SIZE = re.compile(r"(\d{1,12}) (kB|MB|GB|TB)")
_SPEED = re.compile(r"([1-9]\d{1,5}) (?:MT/s|MHz)")
_PER_GIB = {"kB": 2.0**-20, "MB": 2.0**-10, "GB": 1.0, "TB": 1024.0}
_NO_MEMORY = frozenset({"flash", "rom", "eprom", "eeprom", "feprom"})
MOST_SLOTS = 4096


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
