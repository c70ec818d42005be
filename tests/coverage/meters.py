"""What a meter reports of true power: averaging, delay, error, last digit, register, and every way to lose readings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from wattmark.runs.record import MeterRecord
from wattmark_drivers.reading import Quality

from tests.coverage.signals import MARGIN_S, Power

Array = NDArray[np.float64]
Flags = NDArray[np.uint16]
WH_J = 3600.0
RECORDED_S = 30.0
"""How long before and after the window a meter is recorded."""


@dataclass(frozen=True)
class Readings:
    """Readings with their stamps [s from the window's begin] and flags."""

    t_s: Array
    value: Array
    quality: Flags

    def masked(self, keep: NDArray[np.bool_]) -> Readings:
        return Readings(self.t_s[keep], self.value[keep], self.quality[keep])


Spoil = Callable[[np.random.Generator, Readings], Readings]
"""What happens to readings between meter and record."""


@dataclass(frozen=True)
class Register:
    """Energy register: last digit [Wh], how often it moves [s], where it begins again [Wh], and its number format."""

    resolution_wh: float = 0.1
    update_s: float | None = None
    start_wh: float = 1000.0
    wraps_at_wh: float | None = None
    wrap_declared: bool = True
    single_precision: bool = False

    def read(self, t_s: Array, energy_j: Callable[[Array], Array]) -> Array:
        """Read the register at instants [Wh]."""
        at_s = t_s if self.update_s is None else np.floor(t_s / self.update_s) * self.update_s
        counted = self.start_wh + (energy_j(at_s) - energy_j(np.array([-MARGIN_S]))) / WH_J
        shown = np.floor(counted / self.resolution_wh) * self.resolution_wh
        if self.wraps_at_wh is not None:
            shown = np.mod(shown, self.wraps_at_wh)
        return shown.astype(np.float32).astype(np.float64) if self.single_precision else shown


@dataclass(frozen=True)
class Meter:
    """A meter as its maker declares it, and as it really behaves in a trial.

    The error is drawn once for each trial, uniformly within the limits of error; ``averaging_s`` is over what a
    reading averages (None: everything since the last one), ``late_s`` by how much it is late.
    """

    name: str = "wall"
    model: str = "yokogawa.wt310e"
    serial: str | None = "C3UF10001"
    kind: Literal["averaged", "instantaneous", "counter"] = "averaged"
    period_s: float = 1.0
    averaging_s: float | None = None
    declares_averaging: bool = False
    """The record says over how long a reading averages also where that is longer than the period."""
    reading_pct: float = 0.1
    range_pct: float = 0.05
    range_w: float | None = 600.0
    range_name: str | None = None
    fixed_w: float = 0.0
    resolution: float | None = 0.01
    rounds: bool = True
    locked: bool = False
    """Readings fall on whole multiples of the period from the window's begin; else at a phase drawn for each trial."""
    dithered: bool = False
    """Each reading falls anywhere within its period."""
    jitter_s: float = 0.0
    """Standard deviation of what a stamp is off."""
    late_s: Callable[[np.random.Generator], float] = lambda rng: 0.0
    declared_late_s: float = 0.0
    u_latency_s: float | None = None
    curve_w: Callable[[Array], Array] | None = None
    """Error as a function of power, in place of the drawn one [W]."""
    spoil: tuple[Spoil, ...] = ()
    register: Register | None = None
    register_counts: float = 1.0
    """What the register counts of the energy [1]."""
    indicative: bool = False
    role: Literal["wall", "secondary", "bmc"] = "wall"
    supplies: tuple[str, ...] | None = None
    """The power supplies that it measures, as the record names them."""

    def limit_w(self, power_w: Array) -> Array:
        """Compute the limit of error [W]."""
        return self.reading_pct / 100 * power_w + self.range_pct / 100 * (self.range_w or 0.0) + self.fixed_w

    def drawn(self, rng: np.random.Generator) -> Meter:
        """Draw this meter's error: one point within its limits, for every reading of the trial."""
        if self.curve_w is not None:
            return self
        share = rng.uniform(-1, 1)
        return replace(self, curve_w=lambda power_w: share * self.limit_w(power_w))

    def counted(self, true: Power, duration_s: float) -> Power:
        """Give power as the meter's register counts it: with the error that the meter has at mean power."""
        if self.curve_w is None:
            return true.scaled(self.register_counts)
        level_w = true.mean_w(0.0, duration_s)
        return true.scaled(self.register_counts * (1 + float(self.curve_w(np.array([level_w]))[0]) / level_w))

    def record(self) -> MeterRecord:
        """Describe the meter to wattmark."""
        register = self.register
        counter = self.kind == "counter"
        fields: dict[str, Any] = {
            "name": self.name,
            "model": self.model,
            "title": self.model,
            "serial": self.serial,
            "kind": self.kind,
            "period_s": self.period_s,
            "indicative": self.indicative,
            "role": self.role,
            "supplies": self.supplies,
            "resolution_w": register.resolution_wh if counter and register else self.resolution,
            "register_resolution_wh": None if register is None or counter else register.resolution_wh,
            "register_wraps_at_wh": register.wraps_at_wh if register and register.wrap_declared else None,
            "reading_pct": self.reading_pct,
            "range_pct": self.range_pct,
            "fixed_w": self.fixed_w,
            "range_w": self.range_w,
            "range_name": self.range_name,
            "accuracy_source": "simulated within its limits of error",
            "latency_s": self.declared_late_s,
            "u_latency_s": self.u_latency_s,
        }
        shorter = self.averaging_s is not None and self.averaging_s < self.period_s
        if shorter or self.declares_averaging:
            fields["averaging_s"] = self.averaging_s
        return MeterRecord(**fields)

    def instants(self, rng: np.random.Generator, duration_s: float) -> Array:
        """Draw when readings are taken [s]."""
        count = int((duration_s + 2 * RECORDED_S) / self.period_s)
        first_s = -RECORDED_S + (0.0 if self.locked else rng.uniform(0, self.period_s))
        t_s = first_s + self.period_s * np.arange(count)
        return t_s + rng.uniform(0, self.period_s, count) if self.dithered else t_s

    def read(self, rng: np.random.Generator, true: Power, duration_s: float) -> Readings:
        """Take the readings of a run: power [W], or energy [Wh] of a counter."""
        t_s = self.instants(rng, duration_s)
        if self.kind == "counter":
            value = (self.register or Register()).read(t_s, self.counted(true, duration_s).energy_j)
        else:
            value = self._power(t_s, true, self.late_s(rng))
        stamped = t_s + rng.normal(0, self.jitter_s, len(t_s)) if self.jitter_s else t_s
        order = np.argsort(stamped, kind="stable")
        readings = Readings(stamped[order], value[order], np.zeros(len(t_s), dtype=np.uint16))
        for spoil in self.spoil:
            readings = spoil(rng, readings)
        return readings

    def _power(self, t_s: Array, true: Power, late_s: float) -> Array:
        at_s = t_s - late_s
        if self.kind == "instantaneous":
            power_w = true.watts(at_s)
        else:
            since_s = np.concatenate(([self.period_s], np.diff(at_s)))
            width_s = since_s if self.averaging_s is None else np.full_like(at_s, self.averaging_s)
            power_w = (true.energy_j(at_s) - true.energy_j(at_s - width_s)) / width_s
        if self.curve_w is not None:
            power_w = power_w + self.curve_w(power_w)
        if self.resolution and self.rounds:
            power_w = np.round(power_w / self.resolution) * self.resolution
        return power_w

    def read_register(self, rng: np.random.Generator, true: Power, duration_s: float) -> Readings | None:
        """Read the register beside the power; None where there is none."""
        if self.register is None or self.kind == "counter":
            return None
        t_s = self.instants(rng, duration_s)
        return Readings(
            t_s, self.register.read(t_s, self.counted(true, duration_s).energy_j), np.zeros(len(t_s), dtype=np.uint16)
        )


def lose(share: float) -> Spoil:
    """Lose readings at random."""
    return lambda rng, r: r.masked(rng.random(len(r.t_s)) >= share)


def lose_above(limit_w: float) -> Spoil:
    """Lose every reading above a limit."""
    return lambda rng, r: r.masked(r.value <= limit_w)


def lose_every_second(rng: np.random.Generator, r: Readings) -> Readings:
    return r.masked(np.arange(len(r.t_s)) % 2 == int(rng.integers(2)))


def lose_between(begin_s: float, end_s: float) -> Spoil:
    """Lose what was read between two instants."""
    return lambda rng, r: r.masked((r.t_s <= begin_s) | (r.t_s >= end_s))


def invalid_above(limit_w: float) -> Spoil:
    """Give the sentinel 9.91e37 for readings above a limit, as analysers do on over-range."""

    def spoil(rng: np.random.Generator, r: Readings) -> Readings:
        high = r.value > limit_w
        flagged = np.where(high, r.quality | Quality.INVALID, r.quality).astype(np.uint16)
        return Readings(r.t_s, np.where(high, 9.91e37, r.value), flagged)

    return spoil


def clipped_above(limit_w: float) -> Spoil:
    """Show the limit in place of more, flagged as over range."""

    def spoil(rng: np.random.Generator, r: Readings) -> Readings:
        high = r.value > limit_w
        flagged = np.where(high, r.quality | Quality.OVER_RANGE, r.quality).astype(np.uint16)
        return Readings(r.t_s, np.minimum(r.value, limit_w), flagged)

    return spoil


def cut_off(low_w: float, high_w: float) -> Spoil:
    """Show the limit in place of what lies beyond it, and say nothing."""
    return lambda rng, r: Readings(r.t_s, np.clip(r.value, low_w, high_w), r.quality)


def frozen(from_s: float, *, flagged: bool) -> Spoil:
    """Repeat one reading from an instant on; flagged as stale from the fourth on where the driver notices."""

    def spoil(rng: np.random.Generator, r: Readings) -> Readings:
        first = int(np.searchsorted(r.t_s, from_s))
        value, quality = r.value.copy(), r.quality.copy()
        value[first:] = value[first]
        if flagged:
            quality[first + 4 :] |= np.uint16(Quality.STALE)
        return Readings(r.t_s, value, quality)

    return spoil


def stale_runs(length: int, every: int) -> Spoil:
    """Repeat a reading ``length`` times out of ``every``; flagged as stale from the fourth repeat on."""

    def spoil(rng: np.random.Generator, r: Readings) -> Readings:
        place = (np.arange(len(r.t_s)) + int(rng.integers(every))) % every
        since = np.where(place <= length, place, 0)
        origin = np.maximum(np.arange(len(r.t_s)) - since, 0)
        quality = np.where(since > 3, r.quality | Quality.STALE, r.quality).astype(np.uint16)
        return Readings(r.t_s, r.value[origin], quality)

    return spoil


def clock_step(at_s: float, by_s: float) -> Spoil:
    """Let the recorder's clock jump; readings come in the order of their stamps."""

    def spoil(rng: np.random.Generator, r: Readings) -> Readings:
        t_s = np.where(r.t_s >= at_s, r.t_s + by_s, r.t_s)
        order = np.argsort(t_s, kind="stable")
        return Readings(t_s[order], r.value[order], r.quality[order])

    return spoil
