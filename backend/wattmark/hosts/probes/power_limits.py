"""Power of each CPU package over its long-term power limit (RAPL): the kernel's powercap documentation.

Only root, or who a udev rule allows it, may read the energy counters; without one there is no channel. AMD's have no
limits. A package of several dies has a zone for each; they are not added up, because each has its own limit.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.limit_quantities import POWER_OVER_LIMIT
from wattmark.hosts.probes.probe import Taken, Values, by_number, number
from wattmark.hosts.probes.topology import Place, package_place

FILES = tuple(
    f"/sys/class/powercap/intel-rapl*:*/{name}"
    for name in ("name", "enabled", "energy_uj", "max_energy_range_uj", "constraint_*_name")
)
LONG_TERM = "long_term"
LONGEST_S = 30.0
"""A counter may wrap within a minute at 1 kW (66 kJ), so readings further apart give no power."""
TIME_KNOWN_TO = 0.01
"""Two readings give a power where the time between them is known to this share of it [1]: half of the 2 % below a limit
that count as at it."""
USUAL_S = LONGEST_S / 3
"""Where answers are slow, a power comes less often than once a second; the live view waits for three of these."""
_PACKAGE = re.compile(r"package-(\d+)(?:-die-(\d+))?")
_CONSTRAINT = re.compile(r"/constraint_\d+_name")


class _Before(NamedTuple):
    """The reading that the next power begins with."""

    energy_uj: float
    limit_uw: float
    taken: Taken


class _Limit(NamedTuple):
    """The files of a limit, and of whether it is in force."""

    power: str
    enabled: str


@dataclass(slots=True)
class _Zone:
    """A package or die, its energy counter, and all limits on it: the lowest one in force counts."""

    channel: Channel
    energy: str
    range_uj: float
    limits: tuple[_Limit, ...]
    before: _Before | None = None

    def over_limit(self, texts: Texts, taken: Taken) -> float | None:
        """Compute the mean power since the reading that counted before over the limit [1].

        NaN where no limit is in force or a file is unreadable, None where no power can be computed. The counter was
        read somewhere between question and answer, so after a slow answer several readings pass until the time between
        two of them is well enough known. None is computed across a change of the limit.
        """
        energy_uj, limit_uw = number(texts, self.energy), self._limit_uw(texts)
        if not (math.isfinite(energy_uj) and limit_uw > 0):
            self.before = None
            return math.nan
        before, now = self.before, _Before(energy_uj, limit_uw, taken)
        if before is None or not _continues(before, now):
            self.before = now
            return None
        passed_s = taken.at_s - before.taken.at_s
        if before.taken.u_s + taken.u_s > TIME_KNOWN_TO * passed_s:
            return None
        self.before = now
        return (energy_uj - before.energy_uj) % self.range_uj / passed_s / limit_uw

    def _limit_uw(self, texts: Texts) -> float:
        """Read the lowest limit in force; NaN where there is none.

        The kernel says 0 for "enabled" also of a limit that the firmware has locked, so none is no proof that the
        package is free.
        """
        in_force = [limit for limit in self.limits if texts.get(limit.enabled, "1").strip() != "0"]
        limits_uw = [number(texts, limit.power) for limit in in_force]
        return math.nan if not limits_uw or any(map(math.isnan, limits_uw)) else min(limits_uw)


def _continues(before: _Before, now: _Before) -> bool:
    """Return whether a power may be computed from one reading to another, now or with a later one.

    Not after a slow answer that has cost more than it is still worth: beginning anew is then sooner done.
    """
    passed_s = now.taken.at_s - before.taken.at_s
    worse_s = before.taken.u_s - now.taken.u_s
    return 0 < passed_s <= LONGEST_S and now.limit_uw == before.limit_uw and TIME_KNOWN_TO * passed_s >= worse_s


class PowerLimitProbe:
    """One channel per CPU package, or die of one, that has a long-term limit and a readable counter."""

    def __init__(self, texts: Texts) -> None:
        self._zones = list(_zones(texts))

    @property
    def paths(self) -> Sequence[str]:
        """List the counters, the limits, and whether they are in force."""
        return [path for zone in self._zones for path in (zone.energy, *chain.from_iterable(zone.limits))]

    @property
    def channels(self) -> Sequence[Channel]:
        """List the packages."""
        return [zone.channel for zone in self._zones]

    def values(self, texts: Texts, taken: Taken) -> Values:
        """Compute the power since the reading before over the limit [1]."""
        values = {zone.channel.id: zone.over_limit(texts, taken) for zone in self._zones}
        return {name: value for name, value in values.items() if value is not None}


def _zones(texts: Texts) -> Iterator[_Zone]:
    """Find the packages; other control types (intel-rapl-mmio) name the same package and may limit it further.

    Two zones of one control type that have the same name are two zones.
    """
    folders: dict[tuple[str, int], list[str]] = {}
    named: Counter[tuple[str, str]] = Counter()
    for path in by_number(path for path in texts if path.endswith("/name") and path.startswith("/sys/class/powercap/")):
        folder, name = path.removesuffix("/name"), texts[path].strip()
        control_type = folder.partition(":")[0]
        folders.setdefault((name, named[control_type, name]), []).append(folder)
        named[control_type, name] += 1
    for (zone_name, nth), same in folders.items():
        match = _PACKAGE.fullmatch(zone_name)
        counters = [f"{folder}/energy_uj" for folder in same if f"{folder}/energy_uj" in texts]
        limits = tuple(limit for folder in same for limit in _limits(texts, folder))
        if match is None or not counters or not limits:
            continue
        range_uj = number(texts, counters[0].replace("/energy_uj", "/max_energy_range_uj"))
        if range_uj > 0:
            package, die = match.groups()
            place = package_place(int(package), None if die is None else int(die))
            if nth:
                place = Place(f"{place.slug}_zone{nth + 1}", f"{place.label} zone {nth + 1}")
            label = f"{place.label}: power over its long-term limit"
            name = f"{place.slug}_power_over_limit"
            channel = Channel(name, POWER_OVER_LIMIT, "1", Kind.AVERAGED, label, period_s=USUAL_S)
            yield _Zone(channel, counters[0], range_uj, limits)


def _limits(texts: Texts, folder: str) -> Iterator[_Limit]:
    """Return the files of the long-term limit of a zone."""
    for path in by_number(path for path in texts if path.startswith(f"{folder}/constraint_")):
        if _CONSTRAINT.fullmatch(path.removeprefix(folder)) and texts[path].strip() == LONG_TERM:
            yield _Limit(path.replace("_name", "_power_limit_uw"), f"{folder}/enabled")
