"""What a device is fed with: the values that a meter shows, and what sensors inside a server see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

QUANTITIES = ("voltage", "current", "power", "apparent_power", "reactive_power", "power_factor", "frequency")
"""Quantities of one phase, in V, A, W, VA, var, 1 and Hz; "energy" is the whole meter's, in Wh."""


@dataclass(frozen=True, slots=True)
class Indication:
    """What the meter shows between two updates: values per phase by quantity, totals, energy register [Wh]."""

    phases: tuple[Mapping[str, float], ...]
    total: Mapping[str, float]
    energy_wh: float
    sequence: int


@dataclass(frozen=True, slots=True)
class Inside:
    """What the sensors inside a server see now; its meters at the wall see an `Indication`."""

    inlet_c: float = 23.0
    cpu_c: float = 41.0
    fan_rpm: float = 5400.0
    load: float = 0.0
    """Utilisation [0..1]."""
    package_w: float = 0.0
    """Of the processor, without memory [W]."""
    memory_w: float = 0.0
    gpu_w: float = 0.0
    rails_w: tuple[float, float] = (0.0, 0.0)
    """On the 12 V of the slots, and on those of the ATX connectors [W]."""
