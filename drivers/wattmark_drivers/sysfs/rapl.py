"""RAPL as a meter: energy counters of the processors, and the mean power between two polls. Indicative only."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.rapl_map import RaplMap
from wattmark_drivers.clock import Clock, Stamp, stamp_since
from wattmark_drivers.energy_counter import MICROJOULE_PER_WH, EnergyCounter, EnergyStep
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.identity import SIMULATOR_MARK, identify
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Quality, Reading
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.sysfs.address import RaplAddress
from wattmark_drivers.sysfs.attribute import FORBIDDEN, VANISHED, forbidden, parse_integer, read_text
from wattmark_drivers.sysfs.rapl_mirrors import Count, distinct_counts
from wattmark_drivers.sysfs.rapl_zones import Zone, find_zones
from wattmark_drivers.worker import Worker

LOG = logging.getLogger(__name__)
_T = TypeVar("_T")
STOOD = Quality.STALE | Quality.INVALID
"""No power is derived from a counter that does not move: nothing that counts draws 0 W."""
POWER = Channel("power", "power", "W", Kind.AVERAGED, "Processor packages, without memory")


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at a counter found; ``raw_uj`` None where it gave no number."""

    zone: Zone
    raw_uj: int | None
    t_ns: int
    stamp: Stamp


class RaplMeter:
    """Reads every zone at each poll; counters are followed across wraps and across reopening."""

    pushes = False

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        table: RaplMap,
        address: RaplAddress,
        *,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self._table = table
        self._root = address.root
        self._timeout_s = timeout_s
        self._clock = clock
        self._settings, self._declaration = settings, declaration
        self._identity = identify(settings, declaration)
        self._worker: Worker | None = None
        self._zones: list[Zone] = []
        self._packages: dict[str, str] = {}
        """Labels of all packages seen so far, by id: the total is the sum of these."""
        self._opened_ns = 0
        self._counters: dict[tuple[str, int], EnergyCounter] = {}
        self._first_uj: dict[str, int] = {}
        self._mirrors: tuple[str, ...] = ()
        """The dies that show the counter of another die of their package."""

    @property
    def identity(self) -> MeterIdentity:
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List power of all packages, then power and energy of each zone; known after `open`."""
        label = POWER.label + (f"; {', '.join(self._mirrors)}: counted once" if self._mirrors else "")
        total = [replace(POWER, label=label)] if any(zone.is_package for zone in self._zones) else []
        return [*total, *(channel for zone in self._zones for channel in self._channels(zone))]

    async def open(self) -> None:
        """Find the zones and start counting. Raises a `DriverError`."""
        await self.close()
        self._worker = Worker("rapl")
        try:
            self._zones = await self._run(lambda: find_zones(self._root, self._table.control_type))
            self._require_packages()
            (simulated,) = await self._run(lambda: [(self._root / SIMULATOR_MARK).exists()])
            self._identity = identify(self._settings, self._declaration, simulated=simulated)
            self._first_uj = {}
            self._note_mirrors([(look, self._follow(look)) for look in await self._run(self._look)])
            self._opened_ns = self._clock.monotonic_ns()
        except BaseException:
            await self.close()
            raise

    async def read(self) -> list[Reading]:
        """Read all counters; the first time, wait until a mean is available. Raises `ConnectionFailed`."""
        ready_ns = self._opened_ns + int(self._table.shortest_mean_s * 1e9)
        if (early_ns := ready_ns - self._clock.monotonic_ns()) > 0:
            await self._clock.sleep(early_ns / 1e9)
        looks = await self._run(self._look)
        steps = [(look, self._follow(look)) for look in looks]
        return [*self._total(steps), *(reading for look, step in steps for reading in _readings(look, step))]

    async def close(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    async def _run(self, call: Callable[[], list[_T]]) -> list[_T]:
        if self._worker is None:
            raise ConnectionFailed(f"Meter {self._identity.name} is not open.")
        return await self._worker.run(call, self._timeout_s, f"RAPL in {self._root}")

    def _require_packages(self) -> None:
        """Raise `ConnectionFailed` where a package is missing that was seen before: the total would be without it."""
        packages = {zone.id: zone.label for zone in self._zones if zone.is_package}
        missing = [label for name, label in self._packages.items() if name not in packages]
        if missing:
            raise ConnectionFailed(
                f"The RAPL zone {missing[0]} is gone.",
                "Switch the cores of that package on; wattmark keeps looking for it.",
            )
        self._packages |= packages

    def _look(self) -> list[Look]:
        return [self._look_at(zone) for zone in self._zones]

    def _look_at(self, zone: Zone) -> Look:
        asked_ns = self._clock.monotonic_ns()
        try:
            if read_text(zone.folder / "name") != zone.name:
                raise ConnectionFailed(
                    f"The RAPL zone {zone.label} stands in another folder now.", "wattmark looks for it again."
                )
            raw_uj: int | None = parse_integer(read_text(zone.counter))
        except ValueError:
            raw_uj = None
        except OSError as error:
            if error.errno in FORBIDDEN:
                raise forbidden(zone.counter) from None
            if error.errno in VANISHED:
                raise ConnectionFailed(
                    f"The RAPL zone {zone.label} is gone.", "wattmark keeps looking for it."
                ) from None
            raw_uj = None
        if raw_uj is not None and not 0 <= raw_uj <= zone.range_uj:
            raw_uj = None
        return Look(zone, raw_uj, self._clock.monotonic_ns(), stamp_since(self._clock, asked_ns))

    def _follow(self, look: Look) -> EnergyStep | None:
        """Add a counter's reading; None where it gave no number."""
        if look.raw_uj is None:
            return None
        key = (look.zone.id, look.zone.range_uj)
        if key not in self._counters:
            self._counters[key] = EnergyCounter(
                modulus_uj=look.zone.range_uj + round(self._step_uj(look.zone)),
                largest_power_w=self._table.largest_power_w,
                shortest_s=self._table.shortest_mean_s,
            )
        return self._counters[key].add(look.raw_uj, look.t_ns)

    def _step_uj(self, zone: Zone) -> float:
        """Compute the energy of one count [µJ]; the range is that of the largest number, one count below the wrap."""
        return zone.range_uj / ((1 << self._table.counter_bits) - 1)

    def _channels(self, zone: Zone) -> list[Channel]:
        step_wh = self._step_uj(zone) / MICROJOULE_PER_WH
        remark = self._table.zone_remarks.get(zone.name)
        what = f"{zone.label} ({remark})" if remark else zone.label
        return [
            Channel(f"{zone.id}_power", "power", "W", Kind.AVERAGED, f"Mean power of {what}"),
            Channel(f"{zone.id}_energy", "energy", "Wh", Kind.COUNTER, f"Energy of {what}", step_wh),
        ]

    def _total(self, steps: Sequence[tuple[Look, EnergyStep | None]]) -> list[Reading]:
        """Compute the sum of the packages; nothing while one has no mean yet, no number where one gave none.

        A counter that is seen through two dies is added once. The sum is doubtful while dies move too much alike to
        tell whether they are one, and where two packages share a counter.
        """
        packages = [(look, step) for look, step in steps if look.zone.is_package]
        if not packages or any(step is not None and step.mean_w is None for _, step in packages):
            return []
        look = packages[-1][0]
        mirrors, doubtful = self._note_mirrors(steps)
        added = [(look, step) for look, step in packages if look.zone.id not in mirrors]
        powers = [math.nan if step is None or step.mean_w is None else step.mean_w for _, step in added]
        quality = Quality.INVALID if any(step is None for _, step in packages) else Quality.GOOD
        if any(step is not None and step.stalled for _, step in packages):
            quality |= STOOD
        elif doubtful:
            quality |= Quality.IMPLAUSIBLE
        return [_reading("power", sum(powers), "W", look, Kind.AVERAGED, quality)]

    def _note_mirrors(self, steps: Sequence[tuple[Look, EnergyStep | None]]) -> tuple[set[str], bool]:
        """Find the zones that show the counter of another one, say so, and whether the sum is doubtful."""
        counts = [
            Count(
                look.zone,
                look.raw_uj,
                step.total_uj - self._first_uj.setdefault(look.zone.id, step.total_uj),
                step.mean_w,
                look.zone.range_uj,
                self._step_uj(look.zone),
                look.stamp,
            )
            for look, step in steps
            if look.zone.is_package and step is not None and look.raw_uj is not None
        ]
        mirrors, doubtful = distinct_counts(counts)
        words = tuple(f"{copy.label} shows the counter of {original.label}" for copy, original in mirrors)
        if words and words != self._mirrors:
            LOG.warning("Meter %s: %s; it is counted once.", self._identity.name, ", ".join(words))
        self._mirrors = words
        return {copy.id for copy, _ in mirrors}, doubtful


def _readings(look: Look, step: EnergyStep | None) -> list[Reading]:
    name = look.zone.id
    if step is None:
        return [
            _reading(f"{name}_power", math.nan, "W", look, Kind.AVERAGED, Quality.INVALID),
            _reading(f"{name}_energy", math.nan, "Wh", look, Kind.COUNTER, Quality.INVALID),
        ]
    quality = Quality.STALE if step.stalled else Quality.GOOD
    energy = _reading(f"{name}_energy", step.total_uj / MICROJOULE_PER_WH, "Wh", look, Kind.COUNTER, quality)
    if step.mean_w is None:
        return [energy]
    doubt = STOOD if step.stalled else Quality.GOOD
    return [_reading(f"{name}_power", step.mean_w, "W", look, Kind.AVERAGED, doubt), energy]


def _reading(channel: str, value: float, unit: str, look: Look, kind: Kind, quality: Quality) -> Reading:
    return Reading(channel, value, unit, look.stamp.t_ns, look.stamp.u_t_ns, kind, quality=quality)
