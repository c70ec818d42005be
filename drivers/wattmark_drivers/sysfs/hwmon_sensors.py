"""Find the sensors of the kernel's hwmon class (Documentation/ABI/testing/sysfs-class-hwmon)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wattmark_drivers.catalogue.hwmon_map import HwmonAttribute, HwmonMap
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.reading import Kind
from wattmark_drivers.sysfs.attribute import parse_integer, read_optional

POWER = "power"
FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Sensor:
    """One attribute of one chip; ``fault`` is the flag file that says that the sensor is broken, where there is one."""

    id: str
    label: str
    chip: str
    path: Path
    attribute: HwmonAttribute
    fault: Path | None


def find_sensors(root: Path, table: HwmonMap, name: str | None) -> list[Sensor]:
    """List the sensors of the chips in a folder, the power of the whole server first.

    With ``name`` only those of chips of that name. Raises `ConnectionFailed` where there is none.
    """
    chips = _chips(root)
    chosen = {folder: chip for folder, chip in chips.items() if name in (None, chip)}
    if not chosen:
        chip_names = ", ".join(sorted(set(chips.values()))) or "none"
        wanted = f"chip {name}" if name else "sensor chip"
        raise ConnectionFailed(f"There is no {wanted} in {root}.", f"Chips in it: {chip_names}.")
    sensors = [sensor for folder, chip in chosen.items() for sensor in _sensors(folder, chip, table.attributes)]
    if not sensors:
        raise ConnectionFailed(f"The chips in {root} have no sensors.", "Choose another name=CHIP.")
    several = len(chosen) > 1
    return _with_power(_distinct([_prefixed(item) if several else item for item in sensors]), table.server_chips)


def _chips(root: Path) -> dict[Path, str]:
    folders = sorted(root.iterdir(), key=_by_number) if root.is_dir() else []
    return {folder: chip for folder in folders if (chip := read_optional(folder / "name"))}


def _by_number(folder: Path) -> tuple[int, str]:
    number = re.search(r"(\d{1,9})$", folder.name)
    return int(number[1]) if number else -1, folder.name


def _sensors(folder: Path, chip: str, attributes: Sequence[HwmonAttribute]) -> Iterator[Sensor]:
    try:
        present = {path.name for path in folder.iterdir()}
    except OSError:
        return
    for attribute in attributes:
        pattern = re.compile(rf"({attribute.sensor}\d{{1,4}})_{attribute.item}")
        for file in sorted(present, key=lambda name: (len(name), name)):
            if match := pattern.fullmatch(file):
                yield _sensor(folder, chip, attribute, match[1], present)


def _sensor(folder: Path, chip: str, attribute: HwmonAttribute, stem: str, present: set[str]) -> Sensor:
    both = attribute.item != "input" and f"{stem}_input" in present
    return Sensor(
        id=f"{stem}_{attribute.item}" if both else stem,
        label=_label(folder, chip, attribute, stem),
        chip=chip,
        path=folder / f"{stem}_{attribute.item}",
        attribute=attribute,
        fault=folder / f"{stem}_{FAULT}" if f"{stem}_{FAULT}" in present else None,
    )


def _label(folder: Path, chip: str, attribute: HwmonAttribute, stem: str) -> str:
    """Describe the sensor, what it averages over and its claimed accuracy, as far as the chip reports them."""
    notes = []
    if attribute.kind is Kind.AVERAGED:
        notes.append(_interval(read_optional(folder / f"{stem}_average_interval")))
    if claimed := read_optional(folder / f"{stem}_accuracy"):
        notes.append(f"claims an accuracy of {claimed.rstrip('%')[:16]} %")
    name = _printable(read_optional(folder / f"{stem}_label") or f"{chip} {stem}")
    return f"{name} ({', '.join(_printable(note) for note in notes)})" if notes else name


def _interval(text: str | None) -> str:
    try:
        return f"mean over {parse_integer(text or '') / 1000:g} s"
    except ValueError:
        return "mean over an unknown time"


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)[:80]


def _prefixed(sensor: Sensor) -> Sensor:
    chip = re.sub(r"[^a-z0-9]+", "_", sensor.chip.lower()).strip("_")
    return replace(sensor, id=f"{chip}_{sensor.id}" if chip else sensor.id)


def _distinct(sensors: list[Sensor]) -> list[Sensor]:
    """Rename the sensors of equal chips by the kernel's number of the chip."""
    count = Counter(sensor.id for sensor in sensors)
    return [
        sensor if count[sensor.id] == 1 else replace(sensor, id=f"{sensor.id}_{sensor.path.parent.name}")
        for sensor in sensors
    ]


def _with_power(sensors: list[Sensor], whole_server: Sequence[str]) -> list[Sensor]:
    """Move the sensor of the whole server's power, or the only power there is, to the front as the power."""
    powers = [sensor for sensor in sensors if sensor.attribute.quantity == POWER]
    totals = [sensor for sensor in powers if sensor.chip in whole_server]
    chosen = totals if len(totals) == 1 else powers
    if len(chosen) != 1:
        return sensors
    return [replace(chosen[0], id=POWER), *(sensor for sensor in sensors if sensor is not chosen[0])]
