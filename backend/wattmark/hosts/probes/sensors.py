"""Caps and alarms of sensor chips: the kernel's Documentation/hwmon/sysfs-interface.rst, k10temp.rst, coretemp.rst.

coretemp's alarm is not read: it never clears again. Its temperature at TjMax says that the processor is being cooled by
force, also where that began before the recording and ends after it, which no counter shows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.cpu_sensors import INTEL
from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.probe import Taken, Values, by_number, number
from wattmark.hosts.probes.topology import Place

_PLACES = ("/sys/class/hwmon/hwmon*/", "/sys/class/hwmon/hwmon*/device/")
"""ACPI power meters and drivers of the old registration keep their attributes at the device."""
FILES = (
    *(
        place + name
        for place in _PLACES
        for name in ("name", "power*_cap", "power*_average", "power*_input", "*_alarm", "temp1_crit", "temp1_input")
    ),
    "/sys/class/hwmon/hwmon*/device/uevent",
)
TEXTS = ("/name", "/device/uevent")
"""What is read once: names of chips, and the PCI address of a GPU."""
_FOLDER = re.compile(r"(/sys/class/hwmon/hwmon\d+)/(?:device/)?")
_CAP = re.compile(r"(.*/power\d+)_cap")
_ALARM = re.compile(r".*/((?:power|curr|temp|in)\d+(?:_(?:cap|max|crit|emergency))?|in\d+_(?:min|lcrit))_alarm")
_QUANTITIES = {"power": "power_alarm", "curr": "current_alarm", "temp": "temperature_alarm", "in": "voltage_alarm"}
_GPU, _SERVER = "amdgpu", "power_meter"


class _Watched(Protocol):
    @property
    def channel(self) -> Channel: ...

    @property
    def paths(self) -> Sequence[str]: ...

    def value(self, texts: Texts) -> float: ...


@dataclass(frozen=True, slots=True)
class _Cap:
    """A power with the cap in force on it."""

    channel: Channel
    power: str
    cap: str

    @property
    def paths(self) -> Sequence[str]:
        return self.power, self.cap

    def value(self, texts: Texts) -> float:
        """Compute power over cap [1]; NaN where there is no cap now."""
        cap = number(texts, self.cap)
        return number(texts, self.power) / cap if cap > 0 else math.nan


@dataclass(frozen=True, slots=True)
class _Alarm:
    """A flag of a chip: 1 while it is raised."""

    channel: Channel
    flag: str

    @property
    def paths(self) -> Sequence[str]:
        return (self.flag,)

    def value(self, texts: Texts) -> float:
        raised = number(texts, self.flag)
        return raised if math.isnan(raised) else float(raised != 0)


@dataclass(frozen=True, slots=True)
class _Critical:
    """A temperature with the limit at which its processor throttles itself: 1 while it is reached."""

    channel: Channel
    temperature: str
    limit: str

    @property
    def paths(self) -> Sequence[str]:
        return self.temperature, self.limit

    def value(self, texts: Texts) -> float:
        above = number(texts, self.temperature) - number(texts, self.limit)
        return above if math.isnan(above) else float(above >= 0)


class SensorLimitProbe:
    """Powers over their caps, alarms, and temperatures at the limit of their processor."""

    def __init__(self, paths: Sequence[str], texts: Texts, places: Mapping[str, Place]) -> None:
        present, chips = set(paths), _chips(paths, texts)
        self._watched: Sequence[_Watched] = [
            *_caps(present, chips),
            *_criticals(present, places),
            *_alarms(present, chips),
        ]

    @property
    def paths(self) -> Sequence[str]:
        """List the files of all that is watched."""
        return [path for watched in self._watched for path in watched.paths]

    @property
    def channels(self) -> Sequence[Channel]:
        """List what the chips have."""
        return [watched.channel for watched in self._watched]

    def values(self, texts: Texts, taken: Taken) -> Values:  # noqa: ARG002 - present values
        """Compute powers over caps [1], and 1 for what is raised or reached."""
        return {watched.channel.id: watched.value(texts) for watched in self._watched}


@dataclass(frozen=True, slots=True)
class _Chip:
    """A chip by the kernel's name of it; ``device`` says what it is a part of, ``slug`` begins its channels."""

    name: str
    device: str
    slug: str


def _chips(paths: Sequence[str], texts: Texts) -> dict[str, _Chip]:
    """Name the chips by their folders; GPUs by their PCI address."""
    chips: dict[str, _Chip] = {}
    for folder in by_number(sorted({match[1] for path in paths if (match := _FOLDER.match(path))})):
        name = (texts.get(f"{folder}/name") or texts.get(f"{folder}/device/name") or "").strip()
        if not name:
            continue
        lines = texts.get(f"{folder}/device/uevent", "").splitlines()
        uevent = dict(line.split("=", 1) for line in lines if "=" in line)
        number_of_kind = sum(chip.name == name for chip in chips.values())
        slot = uevent.get("PCI_SLOT_NAME", folder.rpartition("/")[2])
        if name == _GPU:
            device = f"GPU {slot}"
        elif name == _SERVER:
            device = "Server" if not number_of_kind else f"Server, meter {number_of_kind + 1}"
        else:
            device = f"{name} ({folder.rpartition('/')[2]})"
        chips[folder] = _Chip(name, device, re.sub(r"[^a-z0-9]+", "_", device.lower()).strip("_"))
    return chips


def _caps(present: set[str], chips: dict[str, _Chip]) -> Iterator[_Cap]:
    for path in by_number(sorted(present)):
        chip, match = _chip_of(path, chips), _CAP.fullmatch(path)
        powers = [f"{match[1]}_{item}" for item in ("average", "input")] if match else []
        power = next((path for path in powers if path in present), None)
        if chip is None or match is None or power is None:
            continue
        sensor = match[1].rpartition("/")[2]
        quantity, label = "power_over_limit", f"{chip.device}: power over its cap, {sensor}"
        yield _Cap(Channel(f"{chip.slug}_{sensor}_over_cap", quantity, "1", Kind.INSTANTANEOUS, label), power, path)


def _criticals(present: set[str], places: Mapping[str, Place]) -> Iterator[_Critical]:
    """List the processors that say at which temperature they throttle themselves."""
    for folder, place in places.items():
        temperature, limit = f"{folder}/temp1_input", f"{folder}/temp1_crit"
        if {temperature, limit} <= present:
            label = f"{place.label}: at the temperature that throttles it"
            channel = Channel(f"{place.slug}_throttles", "temperature_limit", "1", Kind.INSTANTANEOUS, label)
            yield _Critical(channel, temperature, limit)


def _alarms(present: set[str], chips: dict[str, _Chip]) -> Iterator[_Alarm]:
    """List the alarms of all chips but coretemp."""
    for path in by_number(sorted(present)):
        chip, match = _chip_of(path, chips), _ALARM.fullmatch(path)
        if chip is not None and match is not None and chip.name != INTEL:
            name = match[1]
            label = f"{chip.device}: alarm {name.replace('_', ' ')}"
            quantity = _QUANTITIES[re.sub(r"\d.*", "", name)]
            yield _Alarm(Channel(f"{chip.slug}_{name}_alarm", quantity, "1", Kind.INSTANTANEOUS, label), path)


def _chip_of(path: str, chips: dict[str, _Chip]) -> _Chip | None:
    match = _FOLDER.match(path)
    return chips.get(match[1]) if match else None
