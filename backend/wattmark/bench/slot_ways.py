"""How the firmware's list of memory slots is read, which root alone may: the ways that give it to others.

docker/README.md says how each is set up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wattmark.runs.disclosure import SlotsWay

INVENTORY_FILE = "/run/wattmark-inventory/dmi"
"""What wattmark-inventory.service writes at every boot, for its group alone."""
BOOT_FILE = "/proc/sys/kernel/random/boot_id"
"""The present boot, as the kernel calls it."""
PRIVATE = ("Serial Number:", "Asset Tag:", "UUID:")
_BOOT = re.compile(r"# boot ([0-9a-f-]{36})\s*")


@dataclass(frozen=True, slots=True)
class SlotWay:
    """A way to read the list."""

    command: tuple[str, ...]
    name: str
    """What prints the list."""
    words: str
    """What was read, in a sentence."""
    refusal: str
    """Why the command failed."""


WAYS: Mapping[SlotsWay, SlotWay] = {
    "dmidecode": SlotWay(
        ("dmidecode", "-t", "17"),
        "dmidecode",
        "the firmware's tables by dmidecode",
        "dmidecode is not there, or may not read the firmware's tables, which needs root",
    ),
    "file": SlotWay(
        ("cat", INVENTORY_FILE),
        INVENTORY_FILE,
        "the firmware's tables by the file of wattmark-inventory.service",
        f"{INVENTORY_FILE} is not there, or this user is not in its group",
    ),
    "sudo": SlotWay(
        ("sudo", "-n", "/usr/sbin/dmidecode", "-t", "17"),
        "dmidecode by sudo",
        "the firmware's tables by sudo dmidecode",
        "sudo does not allow the one command without a password",
    ),
}
"""In the order in which they are tried. sudo is for servers over SSH, where a line of sudoers allows this one command.
It is tried only where somebody says that it does: an attempt that sudo does not allow is reported to root, by mail on
many systems."""


def commands(*, sudo: bool) -> Mapping[SlotsWay, tuple[str, ...]]:
    """Return the commands to try; ``sudo``: also by sudo."""
    return {name: way.command for name, way in WAYS.items() if name != "sudo" or sudo}


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
