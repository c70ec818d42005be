"""What a device is fed with: the values that a meter shows, and what sensors inside a server see."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wattmark_drivers.catalogue.protocol_map import DeclaredChannel

QUANTITIES = ("voltage", "current", "power", "apparent_power", "reactive_power", "power_factor", "frequency")
"""Quantities of one phase, in V, A, W, VA, var, 1 and Hz; the registers of energy are the whole meter's."""
RANGED = ("voltage", "current", "power", "apparent_power", "reactive_power")
"""Quantities that can be above the range of a meter."""


@dataclass(frozen=True, slots=True)
class Behind:
    """What is known of the meter behind an indication, for protocols that have room for it; None: not known."""

    update_s: float | None = None
    """How often it has new values [s]."""
    voltage_range_v: float | None = None
    current_range_a: float | None = None
    automatic: bool | None = None
    """Whether it chooses its ranges by itself."""
    power_limit: float | None = None
    """Limit of error of the power [fraction of the reading]."""


@dataclass(frozen=True, slots=True)
class Indication:
    """What the meter shows between two updates: values per phase by quantity, totals, energy registers [Wh].

    What it does not measure is absent, and so is what is not a number.
    """

    phases: tuple[Mapping[str, float], ...]
    total: Mapping[str, float]
    energy_wh: float | None = None
    energy_export_wh: float | None = None
    t_ns: int | None = None
    """When it was read [UTC ns], for protocols that carry a time; of a sum, its newest part. None: now."""
    parts_ns: tuple[int, ...] = ()
    """When each part of a sum was read [UTC ns]; empty where it is no sum."""
    behind: Behind | None = None
    """None with a simulated device, whose protocol side knows it."""

    @property
    def stamps(self) -> tuple[int, ...]:
        """Return what distinguishes this reading from the one before it [UTC ns]; empty: each one is another."""
        return self.parts_ns or (() if self.t_ns is None else (self.t_ns,))

    @property
    def oldest_ns(self) -> int | None:
        """Return when its oldest part was read [UTC ns]; None: now."""
        return min(self.stamps, default=None)

    def value(self, channel: DeclaredChannel, inlet_c: float | None = None) -> float | None:
        """Return the value of a channel in its unit; None where the meter has none."""
        if channel.quantity == "energy":
            out = "export" in channel.channel or "return" in channel.channel
            value = self.energy_export_wh if out else self.energy_wh
        elif channel.quantity == "temperature":
            value = inlet_c
        else:
            value = self._of_phase(channel.phase).get(channel.quantity)
        return value if value is not None and math.isfinite(value) else None

    def _of_phase(self, phase: int | None) -> Mapping[str, float]:
        if phase is None:
            return self.total
        return self.phases[phase - 1] if phase <= len(self.phases) else {}


def values_of(
    channels: Iterable[DeclaredChannel], indication: Indication | None, inlet_c: float | None = None
) -> dict[str, float | None]:
    """Return the value of each channel in its unit; None for those without one, and for all without an indication."""
    return {item.channel: indication.value(item, inlet_c) if indication else None for item in channels}


@dataclass(frozen=True, slots=True)
class Inside:
    """What the sensors inside a server see now, None where there is none; meters at the wall see an `Indication`."""

    inlet_c: float | None = None
    cpu_c: float | None = None
    fan_rpm: float | None = None
    load: float = 0.0
    """Utilisation [0..1]."""
    package_w: float = 0.0
    """Of the processor, without memory [W]."""
    memory_w: float = 0.0
    gpu_w: float = 0.0
    rails_w: tuple[float, float] = (0.0, 0.0)
    """On the 12 V of the slots, and on those of the ATX connectors [W]."""
