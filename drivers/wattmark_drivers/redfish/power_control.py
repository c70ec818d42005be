"""Which entry of PowerControl (DSP0268, Power) is the whole chassis: the others are its parts, or other servers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wattmark_drivers.http_client.json_body import MISSING, point, text_at
from wattmark_drivers.redfish.session import local_path

_PART_CONTEXTS = ("Accelerator", "CPU", "CPUSubsystem", "Fan", "GPU", "GPUSubsystem", "Memory", "MemorySubsystem",
                  "NetworkingDevice", "PowerSupply", "StorageDevice", "StorageSubsystem")  # fmt: skip
_PART_NAME = re.compile(
    r"\b(cpus?|gpus?|processors?|accelerators?|memory|dimms?|dram|fans?|cooling|storage|drives?|disks?|pcie?|"
    r"baseboard|backplane|sub-?systems?|enclosures?|risers?|nics?)\b",
    re.IGNORECASE,
)
_WHOLE_NAME = re.compile(r"\b(server|system|chassis|total|whole|node)\b", re.IGNORECASE)
_PART_PATH = re.compile(r"/(Processors|Memory|MemorySummary|PCIeDevices|Drives|Storage|Fans|GraphicsControllers)(/|$)")
_SYSTEM_PATH = re.compile(r"/redfish/v1/Systems/[^/]+/?")


def whole_entries(array: object, pointer: str) -> list[object]:
    """List the entries that may be the whole chassis: exactly one where that is known.

    An object in place of the list is its only entry (Cisco). Entries without anything at ``pointer`` are left out
    where others have it.
    """
    entries = [entry for entry in (array if isinstance(array, list) else [array]) if isinstance(entry, dict)]
    wholes = [entry for entry in entries if not is_part(entry)]
    with_figure = [entry for entry in wholes if point(entry, pointer) not in (MISSING, None)]
    wholes = with_figure or wholes
    if len(wholes) > 1:
        named = [entry for entry in wholes if _WHOLE_NAME.search(text_at(entry, "/Name") or "")]
        wholes = named if len(named) == 1 else wholes
    return list(wholes)


def named_entry(array: object, name: str) -> object | None:
    """Find the only entry of that name or, where names repeat, of that MemberId; None where none or several have it."""
    entries = [entry for entry in _entries(array) if isinstance(entry, dict)]
    return next((entry for entry, own in _names(entries) if own == name), None)


def names_of_entries(array: object, pointer: str) -> list[str]:
    """List by what names one of the entries can be chosen that may be the whole chassis; empty where only one may."""
    entries = [entry for entry in _entries(array) if isinstance(entry, dict)]
    wholes = whole_entries(array, pointer)
    chosen = [name for entry, name in _names(entries) if any(entry is whole for whole in wholes)]
    return chosen if len(chosen) > 1 else []


def _names(entries: Sequence[object]) -> list[tuple[object, str]]:
    """Name entries so that each name is that of one: by Name, else by MemberId, else by the place in the list."""
    names = [text_at(entry, "/Name") or "" for entry in entries]
    numbers = [text_at(entry, "/MemberId") or "" for entry in entries]
    named = []
    for place, (entry, name, number) in enumerate(zip(entries, names, numbers, strict=True)):
        own = next(
            (text for text, all_of in ((name, names), (number, numbers)) if text and all_of.count(text) == 1), ""
        )
        named.append((entry, own or f"entry {place}"))
    return named


def is_part(entry: object) -> bool:
    """Return whether an entry describes a part of the server (its CPUs, its memory) or its enclosure."""
    if point(entry, "/PhysicalContext") in _PART_CONTEXTS:
        return True
    name = text_at(entry, "/Name") or ""
    if _PART_NAME.search(name):
        return True
    related = _related(entry)
    if _WHOLE_NAME.search(name):  # Supermicro relates its System Power Control to a processor
        return False
    return bool(related) and all(_PART_PATH.search(path) for path in related)


def name_of(entry: object) -> str:
    """Return what an entry calls itself."""
    return text_at(entry, "/Name", "/MemberId") or "an entry without a name"


def systems_of(entry: object) -> list[str]:
    """List the paths of the computer systems that an entry relates to."""
    return sorted({path.rstrip("/") for path in _related(entry) if _SYSTEM_PATH.fullmatch(path)})


def doubts_about_entries(array: object, pointer: str) -> list[str]:
    """Explain why no entry gives the power of the whole chassis."""
    if array is MISSING or array == []:
        return []
    if not isinstance(array, list | dict):
        return ["PowerControl is neither a list nor an object"]
    wholes = whole_entries(array, pointer)
    if not wholes:
        parts = [name_of(entry) for entry in _entries(array) if isinstance(entry, dict)]
        return [f"PowerControl has only parts: {', '.join(parts[:8])}"] if parts else ["PowerControl has empty entries"]
    if len(wholes) > 1:
        return [f"PowerControl has several entries, any of which may be the server: {', '.join(map(name_of, wholes))}"]
    return [doubt] if (doubt := no_number(point(wholes[0], pointer), f"{name_of(wholes[0])}, {pointer[1:]}")) else []


def no_number(value: object, place: str) -> str | None:
    """Describe the value in place of a number; None where there is nothing, or a number."""
    if isinstance(value, str):
        return f'{place} is the text "{value[:32]}", no number'
    if isinstance(value, list | dict | bool):
        return f"{place} is {type(value).__name__.replace('dict', 'an object').replace('bool', 'true or false')}"
    return f"{place} is null" if value is None else None


def _entries(array: object) -> Sequence[object]:
    return array if isinstance(array, list) else [array]


def _related(entry: object) -> list[str]:
    items = point(entry, "/RelatedItem")
    paths = [local_path(point(item, "/@odata.id")) for item in (items if isinstance(items, list) else [])]
    return [path for path in paths if path is not None]
