"""Power of each CPU package over its long-term power limit (RAPL): the kernel's powercap documentation.

Only root, or who a udev rule allows it, may read the energy counters; without one there is no channel. AMD's have no
limits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.probe import Values, by_number, number

FILES = tuple(
    f"/sys/class/powercap/intel-rapl*:*/{name}"
    for name in ("name", "enabled", "energy_uj", "max_energy_range_uj", "constraint_*_name")
)
LONG_TERM = "long_term"
LONGEST_S = 30.0
"""A counter may wrap within a minute at 1 kW (66 kJ), so readings further apart give no power."""
_PACKAGE = re.compile(r"package-(\d+)(?:-die-(\d+))?")
_CONSTRAINT = re.compile(r"/constraint_\d+_name")


@dataclass(slots=True)
class _Zone:
    """A package, its energy counter, and the files of all limits in force on it: the lowest one counts."""

    channel: Channel
    energy: str
    range_uj: float
    limits: tuple[str, ...]
    before: tuple[float, float] = field(default=(math.nan, math.nan))

    def over_limit(self, texts: Texts, at_s: float) -> float | None:
        """Compute the mean power since the reading before over the limit [1]; None where no power can be computed."""
        energy_uj = number(texts, self.energy)
        limits_uw = [number(texts, path) for path in self.limits]
        limit_uw = math.nan if any(map(math.isnan, limits_uw)) else min(limits_uw)
        (before_uj, before_s), self.before = self.before, (energy_uj, at_s)
        if math.isnan(energy_uj) or not limit_uw > 0:
            return math.nan
        if math.isnan(before_uj) or not 0 < at_s - before_s <= LONGEST_S:
            return None
        return (energy_uj - before_uj) % self.range_uj / (at_s - before_s) / limit_uw


class PowerLimitProbe:
    """One channel per CPU package that has a long-term limit and a readable counter."""

    def __init__(self, texts: Texts) -> None:
        self._zones = list(_zones(texts))

    @property
    def paths(self) -> Sequence[str]:
        """List the counters and the limits."""
        return [path for zone in self._zones for path in (zone.energy, *zone.limits)]

    @property
    def channels(self) -> Sequence[Channel]:
        """List the packages."""
        return [zone.channel for zone in self._zones]

    def values(self, texts: Texts, at_s: float) -> Values:
        """Compute the power since the reading before over the limit [1]."""
        values = {zone.channel.id: zone.over_limit(texts, at_s) for zone in self._zones}
        return {name: value for name, value in values.items() if value is not None}


def _zones(texts: Texts) -> Iterator[_Zone]:
    """Find the packages; other control types (intel-rapl-mmio) name the same package and may limit it further."""
    folders: dict[str, list[str]] = {}
    for path in by_number(path for path in texts if path.endswith("/name") and path.startswith("/sys/class/powercap/")):
        folders.setdefault(texts[path].strip(), []).append(path.removesuffix("/name"))
    for name, same in folders.items():
        match = _PACKAGE.fullmatch(name)
        counters = [f"{folder}/energy_uj" for folder in same if f"{folder}/energy_uj" in texts]
        limits = tuple(path for folder in same for path in _limits(texts, folder))
        if match is None or not counters or not limits:
            continue
        range_uj = number(texts, counters[0].replace("/energy_uj", "/max_energy_range_uj"))
        if range_uj > 0:
            package, die = match.groups()
            device = f"CPU package {package}" + (f" die {die}" if die else "")
            slug = f"package{package}" + (f"_die{die}" if die else "")
            label = f"{device}: power over its long-term limit"
            channel = Channel(f"{slug}_power_over_limit", "power_over_limit", "1", Kind.AVERAGED, label)
            yield _Zone(channel, counters[0], range_uj, limits)


def _limits(texts: Texts, folder: str) -> Iterator[str]:
    """Return the file of the long-term limit of a zone where it is in force."""
    if texts.get(f"{folder}/enabled", "1").strip() == "0":
        return
    for path in by_number(path for path in texts if path.startswith(f"{folder}/constraint_")):
        if _CONSTRAINT.fullmatch(path.removeprefix(folder)) and texts[path].strip() == LONG_TERM:
            yield path.replace("_name", "_power_limit_uw")
