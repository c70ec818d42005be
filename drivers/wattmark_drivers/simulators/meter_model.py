"""What a meter makes of the true power: averaging, errors inside its class, noise, resolution, an energy register."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from wattmark_drivers.simulators.mains import MainsPhase
from wattmark_drivers.speakers.indication import QUANTITIES, Indication

_NOT_WIRED = MappingProxyType(dict.fromkeys(QUANTITIES, 0.0))
"""Missing phases read zero (Eastron SDM630 Modbus protocol V1.8)."""

FINE_RESOLUTION = MappingProxyType(
    {
        "voltage": 0.1,
        "current": 0.001,
        "power": 0.1,
        "apparent_power": 0.1,
        "reactive_power": 0.1,
        "power_factor": 0.001,
        "frequency": 0.01,
        "energy": 1.0,
    }
)
"""Steps that a meter shows when its declaration does not say."""


@dataclass(frozen=True, slots=True)
class MeterErrors:
    """The hidden errors of one specimen: gains near 1 and relative noise per update (standard deviation)."""

    power_gain: float = 1.0
    voltage_gain: float = 1.0
    noise: float = 0.0

    @classmethod
    def inside_class(cls, limit_pct: float, rng: np.random.Generator) -> MeterErrors:
        """Draw a specimen that stays inside a limit of error [% of reading].

        Gain uses at most 60 % of the limit and noise (cut at 3 standard deviations) at most 15 %, so the sum is inside
        the class at every update.
        """
        power_gain = 1.0 + rng.uniform(-0.6, 0.6) * limit_pct / 100
        return cls(power_gain, 1.0 + rng.uniform(-0.1, 0.1) * limit_pct / 100, 0.05 * limit_pct / 100)


@dataclass(slots=True)
class _Sums:
    duration_s: float = 0.0
    terms: list[list[float]] = field(default_factory=list)

    def add(self, phases: Sequence[MainsPhase], dt_s: float) -> None:
        rows = [[phase.voltage_v, phase.power_w, phase.reactive_var, phase.frequency_hz] for phase in phases]
        previous = self.terms or [[0.0] * 4 for _ in rows]
        self.terms = [
            [total + value * dt_s for total, value in zip(totals, row, strict=True)]
            for totals, row in zip(previous, rows, strict=True)
        ]
        self.duration_s += dt_s

    def means(self) -> list[MainsPhase]:
        return [MainsPhase(*(total / self.duration_s for total in totals)) for totals in self.terms]


class MeterModel:
    """One meter: feed it the true phases as time passes and read its latest indication.

    Indicated V x A x PF = W and VA² = W² + var² hold exactly before rounding, because only voltage, active and reactive
    power carry errors and everything else is derived. The energy register integrates the indicated, unrounded power.
    """

    def __init__(
        self,
        errors: MeterErrors,
        update_period_s: float,
        rng: np.random.Generator,
        *,
        phase_count: int = 1,
        resolution: Mapping[str, float] = FINE_RESOLUTION,
        energy_start_wh: float = 0.0,
    ) -> None:
        self._phase_count = phase_count
        self._errors = errors
        self._period_s = update_period_s
        self._rng = rng
        self._resolution = {**FINE_RESOLUTION, **resolution}
        self._sums = _Sums()
        self._energy_wh = energy_start_wh
        self.indication: Indication | None = None

    def add(self, phases: Sequence[MainsPhase], dt_s: float) -> bool:
        """Simulate ``dt_s`` [s] at these true values of the wired phases; return whether the indication was updated.

        An update falls on the step nearest to the end of the period.
        """
        self._sums.add(phases, dt_s)
        if self._sums.duration_s < self._period_s - dt_s / 2:
            return False
        self._publish([self._distort(phase) for phase in self._sums.means()], self._sums.duration_s)
        self._sums = _Sums()
        return True

    def _distort(self, true: MainsPhase) -> MainsPhase:
        noise = self._errors.noise * max(-3.0, min(3.0, self._rng.standard_normal()))
        gain = self._errors.power_gain * (1.0 + noise)
        voltage_v = true.voltage_v * self._errors.voltage_gain
        return MainsPhase(voltage_v, true.power_w * gain, true.reactive_var * gain, true.frequency_hz)

    def _publish(self, phases: Sequence[MainsPhase], duration_s: float) -> None:
        missing = self._phase_count - len(phases)
        self._energy_wh += sum(phase.power_w for phase in phases) * duration_s / 3600
        self.indication = Indication(
            phases=tuple(self._round(_quantities(phase)) for phase in phases) + (_NOT_WIRED,) * missing,
            total=self._round(_totals(phases)),
            energy_wh=math.floor(self._energy_wh / self._resolution["energy"]) * self._resolution["energy"],
            energy_export_wh=0.0,
        )

    def _round(self, values: Mapping[str, float]) -> Mapping[str, float]:
        return {quantity: _quantise(value, self._resolution[quantity]) for quantity, value in values.items()}


def _quantities(phase: MainsPhase) -> dict[str, float]:
    return {
        "voltage": phase.voltage_v,
        "current": phase.current_a,
        "power": phase.power_w,
        "apparent_power": phase.apparent_va,
        "reactive_power": phase.reactive_var,
        "power_factor": phase.power_factor,
        "frequency": phase.frequency_hz,
    }


def _totals(phases: Sequence[MainsPhase]) -> dict[str, float]:
    """Combine phases as meters do: mean voltage, arithmetic sum of the rest, PF from total power and apparent power."""
    rows = [_quantities(phase) for phase in phases]
    total = {quantity: sum(row[quantity] for row in rows) for quantity in QUANTITIES}
    total["voltage"] /= len(rows)
    total["frequency"] = rows[0]["frequency"]
    total["power_factor"] = total["power"] / total["apparent_power"] if total["apparent_power"] else 1.0
    return total


def _quantise(value: float, step: float) -> float:
    return round(value / step) * step
