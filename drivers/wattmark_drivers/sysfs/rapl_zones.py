"""Find the power zones of RAPL (Documentation/power/powercap/powercap.rst)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from wattmark_drivers.distinct import distinct
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.sysfs.attribute import parse_integer, read_text

_PACKAGE = re.compile(r"(?P<package>package-\d+)(-die-\d+)?")


@dataclass(frozen=True, slots=True)
class Zone:
    """One power zone: its channel prefix, its name, its folder and the largest value of its counter [µJ]."""

    id: str
    name: str
    """The kernel's name of the zone alone: package-0, core, uncore, dram, psys."""
    label: str
    """The names of the zone and of those that it is a part of."""
    folder: Path
    range_uj: int
    is_package: bool
    package: str = ""
    """The package of a die; empty for what is neither."""

    @property
    def counter(self) -> Path:
        """Return the file of its energy counter."""
        return self.folder / "energy_uj"


def find_zones(root: Path, control_type: str) -> list[Zone]:
    """List the zones of a control type, packages before their parts.

    Raises `ConnectionFailed` where there is none. Zones of other types (intel-rapl-mmio) repeat the same counters.
    """
    pattern = re.compile(re.escape(control_type) + r"((?::\d+)+)")
    paths = {}
    if root.is_dir():
        for folder in root.iterdir():
            if match := pattern.fullmatch(folder.name):
                paths[tuple(int(number) for number in match[1][1:].split(":"))] = folder
    zones = [zone for numbers in sorted(paths) if (zone := _zone(numbers, paths)) is not None]
    if not zones:
        raise ConnectionFailed(
            f"There is no {control_type} zone with an energy counter in {root}.",
            "RAPL needs an Intel or AMD processor and the module intel_rapl_msr; most virtual machines have none.",
        )
    return _distinct(zones)


def _zone(numbers: tuple[int, ...], folders: dict[tuple[int, ...], Path]) -> Zone | None:
    """Describe a zone; None where its name or range is missing."""
    try:
        names = [read_text(folders[numbers[: n + 1]] / "name") for n in range(len(numbers))]
        range_uj = parse_integer(read_text(folders[numbers] / "max_energy_range_uj"))
    except (OSError, ValueError, KeyError):
        return None
    identity = _slug("_".join(names))
    if range_uj <= 0 or not identity:
        return None
    match = _PACKAGE.fullmatch(names[0]) if len(numbers) == 1 else None
    package = "" if match is None else match["package"]
    return Zone(identity, names[-1], " ".join(names), folders[numbers], range_uj, match is not None, package)


def _distinct(zones: list[Zone]) -> list[Zone]:
    """Rename zones of the same name by the numbers of their folders."""
    by_folder = [f"{zone.id}_{_slug(zone.folder.name)}" for zone in zones]
    names = distinct([zone.id for zone in zones], by_folder)
    return [replace(zone, id=name) for zone, name in zip(zones, names, strict=True)]


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
