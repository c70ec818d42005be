"""The AC side: voltage, power factor and the electrical quantities that follow from active power."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

_POWER_FACTOR_POINTS = ((0.0, 0.10, 0.20, 0.50, 1.0), (0.60, 0.86, 0.94, 0.98, 0.99))
"""Load fraction and power factor of a supply with active power-factor correction (assumed, typical)."""


def power_factor(load_fraction: float) -> float:
    """Return a supply's power factor [1] at a fraction of its rated load."""
    return float(np.interp(load_fraction, *_POWER_FACTOR_POINTS))


@dataclass(frozen=True, slots=True)
class MainsPhase:
    """What flows through one phase at one moment; the other quantities follow from these four."""

    voltage_v: float
    power_w: float
    reactive_var: float
    frequency_hz: float

    @property
    def apparent_va(self) -> float:
        return math.hypot(self.power_w, self.reactive_var)

    @property
    def current_a(self) -> float:
        """RMS current [A]."""
        return self.apparent_va / self.voltage_v

    @property
    def power_factor(self) -> float:
        """Power factor [1]; 1 without current, as meters show it."""
        return self.power_w / self.apparent_va if self.apparent_va else 1.0


@dataclass(frozen=True, slots=True)
class Mains:
    """A feed with a source resistance, so that voltage dips a little under load."""

    voltage_v: float = 230.0
    frequency_hz: float = 50.0
    source_ohm: float = 0.25

    def phase(self, loads: Iterable[tuple[float, float]]) -> MainsPhase:
        """Combine loads, each (active power [W], power factor [1]), on one phase.

        The voltage is the exact root of V = V0 - R x S / V.
        """
        pairs = list(loads)
        power_w = sum(power for power, _ in pairs)
        reactive_var = sum(power * math.tan(math.acos(factor)) for power, factor in pairs)
        drop = 4 * self.source_ohm * math.hypot(power_w, reactive_var)
        voltage_v = (self.voltage_v + math.sqrt(self.voltage_v**2 - drop)) / 2
        return MainsPhase(voltage_v, power_w, reactive_var, self.frequency_hz)
