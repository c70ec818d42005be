"""A configuration as far as a machine describes itself: processors, system and slots, by what its commands print."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Annotated, Any

from wattmark.bench.configuration import Configuration
from wattmark.bench.dmi import NOT_IN_A_NAME, DmiSlot, parse_memory_devices, slot_names
from wattmark.bench.editing.views import ShapedAs
from wattmark.bench.slot_ways import BOOT_FILE
from wattmark.core.schema import Schema

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "host": ("uname", "-n"),
    "kernel": ("uname", "-r"),
    "lscpu": ("env", "LC_ALL=C", "lscpu"),
    "os": ("cat", "/etc/os-release"),
    "boot": ("cat", BOOT_FILE),
}
"""Commands that query a machine, in the words of util-linux (lscpu) and os-release(5); `slot_ways` has others."""
_LINE = re.compile(r"^\s*([A-Za-z][A-Za-z0-9() _-]{0,60}):\s*(.{1,200})$")
_CLOCK = re.compile(r"@ ?(\d+(?:\.\d+)?) ?GHz")
_CHANNEL = re.compile(r"CHANNEL[ _-]?([A-Z0-9]{1,3})", re.IGNORECASE)


class Machine(Schema):
    """What a machine tells of itself, as far as a configuration has a place for it."""

    host: str
    configuration: Annotated[dict[str, Any], ShapedAs(Configuration)]
    """The part of a configuration that the machine knows, as it is written in the bench file."""
    notes: list[str]
    """What it did not tell, and what to do."""


def describe_machine(answers: Mapping[str, str]) -> Machine:
    """Read a configuration out of the answers to `COMMANDS`, and "slots"; an empty answer: the machine gave none."""
    notes = []
    configuration: dict[str, Any] = {}
    cpu = _cpu(answers.get("lscpu", ""))
    if cpu:
        configuration["cpu"] = cpu
    else:
        notes.append("The processor was not read: lscpu is missing there. Enter it.")
    name, kernel = _system(answers.get("os", "")), answers.get("kernel", "").strip()
    system = {key: value for key, value in (("name", name), ("kernel", kernel)) if value}
    if system:
        configuration["os"] = system
    memory, note = _memory(answers.get("slots", ""))
    if memory:
        configuration["memory"] = memory
    if note:
        notes.append(note)
    return Machine(host=answers.get("host", "").strip(), configuration=configuration, notes=notes)


def _fields(text: str) -> dict[str, str]:
    matches = (_LINE.match(line) for line in text.splitlines())
    return {match[1].strip(): match[2].strip() for match in matches if match}


def _cpu(text: str) -> dict[str, Any]:
    fields = _fields(text)
    model = fields.get("Model name", "")
    if not model or model == "-":
        return {}
    sockets = _count(fields.get("Socket(s)")) or 1
    cores, threads = _count(fields.get("Core(s) per socket")), _count(fields.get("Thread(s) per core"))
    cpu: dict[str, Any] = {"model": " ".join(model.split()), "sockets": sockets}
    if cores:
        cpu["cores"] = sockets * cores
    if cores and threads:
        cpu["threads"] = sockets * cores * threads
    if clock := _CLOCK.search(model):
        cpu["clock_mhz"] = round(1000 * float(clock[1]))
    return cpu


def _count(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and 0 < int(text) <= 100_000 else None


def _system(text: str) -> str:
    """Return the PRETTY_NAME of os-release(5), whose values are quoted as in a shell."""
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key == "PRETTY_NAME":
            try:
                return " ".join(shlex.split(value))
            except ValueError:
                return ""
    return ""


def _memory(text: str) -> tuple[dict[str, Any] | None, str | None]:
    """Return the slots as the bench file writes them, and what a person has to add."""
    slots = parse_memory_devices(text)
    if not slots:
        return None, (
            "The memory slots were not read: the firmware's tables need root there. Install wattmark-inventory.service "
            "(docker/README.md), or fill in the slots by hand."
        )
    names = slot_names(slots)
    fitted = [slot for slot in slots if slot.capacity_gib]
    rated = sum(slot.speed_mts is None and slot.rated_mts is not None for slot in fitted)
    if not fitted:
        return None, "The firmware names no memory module. Fill in the slots by hand."
    named = dict(zip(names, slots, strict=True))
    entries = {name: _module(slot) if slot.capacity_gib else None for name, slot in named.items() if not slot.unknown}
    unsized = [name for name, slot in named.items() if slot.unknown]
    untyped = sum(slot.module_type is None for slot in fitted)
    notes = [
        *(f"The firmware does not know the size of the module in {name}. Enter it." for name in unsized),
        *[f"The firmware does not name the type of the module in {untyped} slot{'s' * (untyped > 1)}. Choose it."]
        * (untyped > 0),
        *[f"The firmware states only the highest speed of the module in {rated} slot{'s' * (rated > 1)}. Check it."]
        * (rated > 0),
    ]
    return {"slots": entries}, " ".join(notes) or None


def _module(slot: DmiSlot) -> dict[str, Any]:
    module = {
        "type": slot.module_type,
        "capacity_gib": slot.capacity_gib,
        "speed_mts": slot.speed_mts or slot.rated_mts,
        "ranks": slot.ranks,
        "part": slot.part,
        "channel": _channel(slot),
    }
    return {key: value for key, value in module.items() if value is not None}


def _channel(slot: DmiSlot) -> str | None:
    """Return the channel that the bank or the slot names, with its processor where there are several."""
    for text in (slot.bank, slot.locator):
        if match := _CHANNEL.search(text):
            return NOT_IN_A_NAME.sub("_", text[: match.end()]).strip("_.+-") or None
    return None
