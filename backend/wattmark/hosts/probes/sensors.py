"""Caps and alarms of sensor chips: the kernel's Documentation/hwmon/sysfs-interface.rst, k10temp.rst, coretemp.rst.

coretemp's alarm is not read: it never clears again. Its temperature at TjMax, or below it by the offset that is set,
says that the processor is being cooled by force, also where that began before the recording and ends after it, which no
counter shows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.cpu_sensors import AMD, INTEL
from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.limit_quantities import (
    CURRENT_ALARM,
    DEVICE_ALARM,
    POWER_ALARM,
    POWER_OVER_LIMIT,
    TEMPERATURE_ALARM,
    TEMPERATURE_LIMIT,
    VOLTAGE_ALARM,
    state_of,
)
from wattmark.hosts.probes.probe import Taken, Values, by_number, number
from wattmark.hosts.probes.tcc_offset import largest_offset, offset_file
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
_QUANTITIES = {"power": POWER_ALARM, "curr": CURRENT_ALARM, "temp": TEMPERATURE_ALARM, "in": VOLTAGE_ALARM}
_GPU, _SERVER = "amdgpu", "power_meter"
_JUDGED = frozenset({*AMD, _GPU, _SERVER})
"""Chips of a processor or GPU, and the ACPI power meter, whose alarm is that of the cap on the server: their alarms of
power and current tell of a limit on these. Those of a supply, a regulator or a board do not say what they slow down."""


@dataclass(frozen=True, slots=True)
class _Watched:
    """A channel, its files, and how its value follows from their numbers, of which each may be NaN."""

    channel: Channel
    paths: tuple[str, ...]
    compute: Callable[[Sequence[float]], float]

    def value(self, texts: Texts) -> float:
        return self.compute([number(texts, path) for path in self.paths])


def _over_cap(read: Sequence[float]) -> float:
    """Compute power over cap [1]; NaN where there is no cap now."""
    power, cap = read
    return power / cap if cap > 0 else math.nan


def _raised(read: Sequence[float]) -> float:
    """Return 1 while a flag is raised."""
    (flag,) = read
    return flag if math.isnan(flag) else float(flag != 0)


def _reached(read: Sequence[float], unstated: float) -> float:
    """Hold a temperature against the limit [m°C], less the offset [°C] where a file states it.

    1 while the limit is reached, 0 while the temperature is below it; 0.5 while it is below only if no offset of up to
    ``unstated`` [°C] is set, which no file states.
    """
    temperature, limit, *offset = read
    above = (temperature - limit) / 1e3 + math.fsum(offset)
    if math.isnan(above):
        return above
    return 1.0 if above >= 0 else 0.0 if above < -unstated else 0.5


class SensorLimitProbe:
    """Powers over their caps, alarms, and temperatures at the limit of their processor."""

    def __init__(self, paths: Sequence[str], texts: Texts, places: Mapping[str, Place]) -> None:
        present, chips = set(paths), _chips(paths, texts)
        self._watched: Sequence[_Watched] = [
            *_caps(present, chips),
            *_criticals(present, texts, places),
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
        """Compute powers over caps [1], and 1 for what is raised or reached; 0.5 for what may be."""
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


def _caps(present: set[str], chips: dict[str, _Chip]) -> Iterator[_Watched]:
    """List the powers that have a cap in force on them."""
    for path in by_number(sorted(present)):
        chip, match = _chip_of(path, chips), _CAP.fullmatch(path)
        powers = [f"{match[1]}_{item}" for item in ("average", "input")] if match else []
        power = next((path for path in powers if path in present), None)
        if chip is None or match is None or power is None:
            continue
        sensor = match[1].rpartition("/")[2]
        quantity, label = POWER_OVER_LIMIT, f"{chip.device}: power over its cap, {sensor}"
        channel = Channel(f"{chip.slug}_{sensor}_over_cap", quantity, "1", Kind.INSTANTANEOUS, label)
        yield _Watched(channel, (power, path), _over_cap)


def _criticals(present: set[str], texts: Texts, places: Mapping[str, Place]) -> Iterator[_Watched]:
    """List the processors that say at which temperature they throttle themselves."""
    offset, largest = offset_file(texts, len(places)), largest_offset(texts)
    for folder, place in places.items():
        temperature, limit = f"{folder}/temp1_input", f"{folder}/temp1_crit"
        if {temperature, limit} <= present:
            label = f"{place.label}: at the temperature that throttles it"
            channel = Channel(state_of(place.slug), TEMPERATURE_LIMIT, "1", Kind.INSTANTANEOUS, label)
            is_intel = texts[f"{folder}/name"].strip() == INTEL
            stated = (offset,) if is_intel and offset is not None else ()
            unstated = largest if is_intel and not stated else 0.0
            yield _Watched(channel, (temperature, limit, *stated), partial(_reached, unstated=unstated))


def _alarms(present: set[str], chips: dict[str, _Chip]) -> Iterator[_Watched]:
    """List the alarms of all chips but coretemp."""
    for path in by_number(sorted(present)):
        chip, match = _chip_of(path, chips), _ALARM.fullmatch(path)
        if chip is not None and match is not None and chip.name != INTEL:
            name = match[1]
            quantity = _QUANTITIES[re.sub(r"\d.*", "", name)] if chip.name in _JUDGED else DEVICE_ALARM
            words = "board or device alarm" if quantity == DEVICE_ALARM else "alarm"
            label = f"{chip.device}: {words} {name.replace('_', ' ')}"
            channel = Channel(f"{chip.slug}_{name}_alarm", quantity, "1", Kind.INSTANTANEOUS, label)
            yield _Watched(channel, (path,), _raised)


def _chip_of(path: str, chips: dict[str, _Chip]) -> _Chip | None:
    match = _FOLDER.match(path)
    return chips.get(match[1]) if match else None
