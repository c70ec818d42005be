"""Temperatures and fan speed: they follow power with a first-order lag, as in a real chassis."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ThermalModel:
    """How a chassis warms up. Fan power is part of the server's idle and dynamic watts, not added here."""

    inlet_c: float = 23.0
    cpu_rise_idle_k: float = 18.0
    cpu_rise_full_k: float = 45.0
    fan_idle_rpm: float = 5400.0
    fan_full_rpm: float = 10800.0
    cpu_time_constant_s: float = 12.0
    fan_time_constant_s: float = 4.0

    def cpu_target_c(self, utilisation: float) -> float:
        """Return the CPU temperature [°C] that a constant utilisation leads to."""
        return self.inlet_c + self.cpu_rise_idle_k + (self.cpu_rise_full_k - self.cpu_rise_idle_k) * utilisation

    def fan_target_rpm(self, cpu_c: float) -> float:
        """Return the fan speed [RPM] that the controller wants at a CPU temperature [°C]."""
        span_k = self.cpu_rise_full_k - self.cpu_rise_idle_k
        demand = (cpu_c - self.inlet_c - self.cpu_rise_idle_k) / span_k
        return self.fan_idle_rpm + (self.fan_full_rpm - self.fan_idle_rpm) * min(1.0, max(0.0, demand))


class ThermalState:
    """The present temperature and fan speed of one chassis."""

    def __init__(self, model: ThermalModel) -> None:
        self.model = model
        self.cpu_c = model.cpu_target_c(0.0)
        self.fan_rpm = model.fan_target_rpm(self.cpu_c)

    def step(self, utilisation: float, dt_s: float) -> None:
        """Simulate ``dt_s`` [s] at a constant utilisation [0..1]."""
        self.cpu_c = _lag(self.cpu_c, self.model.cpu_target_c(utilisation), dt_s / self.model.cpu_time_constant_s)
        self.fan_rpm = _lag(self.fan_rpm, self.model.fan_target_rpm(self.cpu_c), dt_s / self.model.fan_time_constant_s)


def _lag(value: float, target: float, time_constants: float) -> float:
    return target + (value - target) * math.exp(-time_constants)
