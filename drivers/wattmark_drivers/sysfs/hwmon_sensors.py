"""Find the sensors of the kernel's hwmon class (Documentation/ABI/testing/sysfs-class-hwmon)."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wattmark_drivers.catalogue.hwmon_map import HwmonAttribute, HwmonMap
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.physics import LEAST_SERVER_W
from wattmark_drivers.reading import Kind
from wattmark_drivers.sysfs.attribute import parse_integer, read_optional

POWER = "power"
FAULT = "fault"
BEYOND_LIMIT = 2.0
"""Transients pass a limit for moments; no power is this many times as high."""
DEVICE = "device"
"""Where acpi_power_meter and other drivers of the old registration keep their attributes."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A chip by the kernel's name of it, the folder with its attributes and the folder of its number."""

    name: str
    folder: Path
    number: str


@dataclass(frozen=True, slots=True)
class Sensor:
    """One attribute of one chip; ``fault`` is the flag file that says that the sensor is broken, where there is one."""

    id: str
    label: str
    name: str
    """Name of the sensor in the firmware or on the board; empty if not reported."""
    chip: Chip
    path: Path
    attribute: HwmonAttribute
    fault: Path | None
    whole_server: bool
    """Whether the sensor meters the machine whose kernel is asked."""
    never: float | None
    """Power up to which a value cannot be true: a machine or a device that answers draws more [W]."""
    most: float | None
    """The value that the chip's own limits exclude from here on [unit]; None where it tells none."""


def find_sensors(
    root: Path, table: HwmonMap, name: str | None, wanted: str | None = None, slot: str | None = None
) -> list[Sensor]:
    """List the sensors of the chips in a folder, the chosen power or that of the whole server first.

    With ``name`` only those of chips of that name; with ``wanted`` the sensor of that name becomes the power. A model
    of one device takes that at the PCI address ``slot``. Raises `ConnectionFailed` where there is none.
    """
    if table.device_chip is not None:
        return _sensors_of_device(root, table, table.device_chip, slot)
    chips = _chips(root)
    chosen = [chip for chip in chips if name in (None, chip.name)]
    if not chosen:
        chip_names = ", ".join(sorted({chip.name for chip in chips})) or "none"
        missing = f"chip {name}" if name else "sensor chip"
        raise ConnectionFailed(f"There is no {missing} in {root}.", f"Chips in it: {chip_names}.")
    sensors = [sensor for chip in chosen for sensor in _sensors_of(chip, table)]
    if not sensors:
        raise ConnectionFailed(f"The chips in {root} have no sensors.", "Choose another name=CHIP.")
    several = len(chosen) > 1
    sensors = _distinct([_prefixed(item) if several else item for item in sensors])
    parts = table.part_chips
    if wanted:
        return _with_wanted(sensors, wanted, parts)
    return _with_power(sensors, parts, chip_named=name is not None)


def _sensors_of_device(root: Path, table: HwmonMap, chip_name: str, slot: str | None) -> list[Sensor]:
    """List the sensors of one device, the power first that the declaration names first."""
    chips = [(chip, pci_slot(root, chip)) for chip in _chips(root) if chip.name == chip_name]
    slots = ", ".join(sorted(at or "unknown" for _, at in chips)) or "none"
    chosen = [chip for chip, at in chips if slot in (None, at)]
    if not chosen:
        where = f" at {slot}" if slot else ""
        raise ConnectionFailed(f"There is no {chip_name} chip in {root}{where}.", f"PCI addresses of such: {slots}.")
    if len(chosen) > 1:
        raise ConfigurationError(
            f"There are {len(chosen)} {chip_name} chips in {root}.", f"Choose one in the address as slot=: {slots}."
        )
    sensors = _distinct(_sensors_of(chosen[0], table))
    power = next((sensor for sensor in sensors if sensor.attribute.quantity == POWER), None)
    if power is None:
        raise ConnectionFailed(f"The {chip_name} chip in {root} shows no power.", "A virtual function has none.")
    return _first(power, sensors)


def pci_slot(root: Path, chip: Chip) -> str | None:
    """Read the PCI address of the device behind a chip; None where it has none."""
    uevent = read_optional(root / chip.number / DEVICE / "uevent") or ""
    lines = (line.partition("=") for line in uevent.splitlines())
    return next((value.lower() for key, _, value in lines if key == "PCI_SLOT_NAME"), None)


def _chips(root: Path) -> list[Chip]:
    """List the chips. Drivers of the old registration keep name and attributes at the device, not at the number."""
    folders = sorted(root.iterdir(), key=_by_number) if root.is_dir() else []
    chips = []
    for folder in folders:
        if name := read_optional(folder / "name"):
            chips.append(Chip(name, folder, folder.name))
        elif name := read_optional(folder / DEVICE / "name"):
            chips.append(Chip(name, folder / DEVICE, folder.name))
    return chips


def _by_number(folder: Path) -> tuple[int, str]:
    number = re.search(r"(\d{1,9})$", folder.name)
    return int(number[1]) if number else -1, folder.name


def _sensors_of(chip: Chip, table: HwmonMap) -> list[Sensor]:
    """List the sensors of a chip; one that is named at its number may have its attributes at the device."""
    if sensors := list(_sensors(chip, table)):
        return sensors
    return list(_sensors(replace(chip, folder=chip.folder / DEVICE), table))


def _sensors(chip: Chip, table: HwmonMap) -> Iterator[Sensor]:
    try:
        present = {path.name for path in chip.folder.iterdir()}
    except OSError:
        return
    for attribute in table.attributes:
        pattern = re.compile(rf"({attribute.sensor}\d{{1,4}})_{attribute.item}")
        for file in sorted(present, key=lambda name: (len(name), name)):
            if match := pattern.fullmatch(file):
                yield _sensor(chip, attribute, match[1], present, table)


def _sensor(chip: Chip, attribute: HwmonAttribute, stem: str, present: set[str], table: HwmonMap) -> Sensor:
    both = attribute.item != "input" and f"{stem}_input" in present
    name = _name(chip.folder, stem)
    battery = read_optional(chip.folder / f"{stem}_is_battery") not in (None, "0")
    whole_server = attribute.quantity == POWER and chip.name in table.server_chips and not battery
    is_device = attribute.quantity == POWER and chip.name == table.device_chip
    return Sensor(
        id=f"{stem}_{attribute.item}" if both else stem,
        label=_label(chip, attribute, stem, name, battery=battery),
        name=name,
        chip=chip,
        path=chip.folder / f"{stem}_{attribute.item}",
        attribute=attribute,
        fault=chip.folder / f"{stem}_{FAULT}" if f"{stem}_{FAULT}" in present else None,
        whole_server=whole_server,
        never=LEAST_SERVER_W if whole_server else 0.0 if is_device else None,
        most=_most(chip, attribute, stem),
    )


def _most(chip: Chip, attribute: HwmonAttribute, stem: str) -> float | None:
    """Read the greatest limit that the chip tells of a sensor, with room for transients [unit]."""
    limit = 0
    for item in attribute.bounds:
        with contextlib.suppress(ValueError):
            limit = max(limit, parse_integer(read_optional(chip.folder / f"{stem}_{item}") or ""))
    return BEYOND_LIMIT * limit / attribute.divisor if limit else None


def _name(folder: Path, stem: str) -> str:
    """Read what the sensor is called: its label, or what the firmware says of an ACPI power meter."""
    for item in ("label", "oem_info"):
        if text := _printable(read_optional(folder / f"{stem}_{item}") or ""):
            return text
    return ""


def _label(chip: Chip, attribute: HwmonAttribute, stem: str, name: str, *, battery: bool) -> str:
    """Describe the sensor, what it averages over and its claimed accuracy, as far as the chip reports them."""
    notes = ["a battery"] if battery else []
    if attribute.quantity == POWER and _is_output(chip, name):
        notes.append("output side of a supply: DC, without its losses")
    if attribute.kind is Kind.AVERAGED:
        notes.append(_interval(read_optional(chip.folder / f"{stem}_average_interval")))
    if claimed := read_optional(chip.folder / f"{stem}_accuracy"):
        notes.append(f"claims an accuracy of {claimed.rstrip('%')[:16]} %")
    name = name or _printable(f"{chip.name} {stem}")
    if attribute.title:
        name = f"{attribute.title}, {name}"
    return f"{name} ({', '.join(_printable(note) for note in notes)})" if notes else name


def _is_output(chip: Chip, name: str) -> bool:
    """Return whether a power is what a supply gives out: by PMBus' label, or as corsair-psu calls its rails' sum."""
    return re.fullmatch(r"pout\d*", name) is not None or (chip.name == "corsairpsu" and name.startswith("power "))


def _interval(text: str | None) -> str:
    try:
        return f"mean over {parse_integer(text or '') / 1000:g} s"
    except ValueError:
        return "mean over an unknown time"


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)[:80]


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def _prefixed(sensor: Sensor) -> Sensor:
    chip = _slug(sensor.chip.name)
    return replace(sensor, id=f"{chip}_{sensor.id}" if chip else sensor.id)


def _distinct(sensors: list[Sensor]) -> list[Sensor]:
    """Rename the sensors of equal chips by their names where these differ, else by the kernel's number of the chip."""
    count = Counter(sensor.id for sensor in sensors)
    named = Counter((sensor.id, _slug(sensor.name)) for sensor in sensors)
    renamed = []
    for sensor in sensors:
        suffix = _slug(sensor.name)
        if not suffix or named[sensor.id, suffix] > 1:
            suffix = sensor.chip.number
        renamed.append(sensor if count[sensor.id] == 1 else replace(sensor, id=f"{sensor.id}_{suffix}"))
    return _numbered(renamed)


def _numbered(sensors: list[Sensor]) -> list[Sensor]:
    """Number what is still not distinct: a name may read like the id of another sensor."""
    taken: set[str] = set()
    numbered = []
    for sensor in sensors:
        identity, n = sensor.id, 1
        while identity in taken:
            n += 1
            identity = f"{sensor.id}_{n}"
        taken.add(identity)
        numbered.append(replace(sensor, id=identity))
    return numbered


def _with_wanted(sensors: list[Sensor], wanted: str, parts: Sequence[str]) -> list[Sensor]:
    """Move the sensor of power that the address names to the front as the power. Raises `ConfigurationError`."""
    powers = _powers(sensors, parts)
    chosen = [sensor for sensor in powers if _slug(wanted) in (_slug(sensor.name), _slug(sensor.id))]
    if len(chosen) != 1:
        equal = Counter(_slug(sensor.name or sensor.id) for sensor in powers)
        single = {sensor.name if sensor.name and equal[_slug(sensor.name)] == 1 else sensor.id for sensor in powers}
        names = ", ".join(sorted(single)) or "none"
        few = "no" if not chosen else "more than one"
        raise ConfigurationError(
            f"There is {few} power sensor called {wanted}.", f"Write one of these as sensor=NAME: {names}."
        )
    return _first(chosen[0], sensors)


def _powers(sensors: list[Sensor], parts: Sequence[str]) -> list[Sensor]:
    """List the sensors of power without those of chips that meter a part."""
    return [sensor for sensor in sensors if sensor.attribute.quantity == POWER and sensor.chip.name not in parts]


def _with_power(sensors: list[Sensor], parts: Sequence[str], *, chip_named: bool) -> list[Sensor]:
    """Move the only meter of the server, or the only power of a chip that the address names, to the front as the power.

    One of several meters is never taken for the server, nor is a part (a GPU, a rail) that happens to be alone.
    """
    powers = _powers(sensors, parts)
    totals = [sensor for sensor in powers if sensor.whole_server]
    chosen = totals if totals or not chip_named else powers
    return _first(chosen[0], sensors) if len(chosen) == 1 else sensors


def _first(power: Sensor, sensors: list[Sensor]) -> list[Sensor]:
    rest = [sensor for sensor in sensors if sensor is not power]
    return [replace(power, id=POWER), *(_renamed(sensor) for sensor in rest)]


def _renamed(sensor: Sensor) -> Sensor:
    """Keep the id of the power free."""
    return replace(sensor, id=f"{POWER}_{sensor.chip.number}") if sensor.id == POWER else sensor
