"""The physical load model of a server: CPU utilisation and DIMM count to watts, DC and at the wall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wattmark_drivers.simulators.psu import PsuModel


@dataclass(frozen=True, slots=True)
class ServerModel:
    """What one server draws.

    DC power = idle_w + dynamic_w x utilisation ^ dynamic_exponent + DIMMs x dimm_w x (1 - s + s x utilisation) with
    s = ``dimm_load_share``: a module (FB-DIMM with its AMB, about 5.5 W) draws ``dimm_w`` at full load and the share s
    less when idle. ``idle_w`` is the idle server without memory, its fans included. The powered supplies carry equal
    shares unless ``psu_shares`` says otherwise.
    """

    idle_w: float
    dynamic_w: float
    psu: PsuModel
    dynamic_exponent: float = 0.9
    dimm_w: float = 5.5
    dimm_load_share: float = 0.1
    psus_powered: int = 2
    psu_shares: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if min(self.idle_w, self.dynamic_w, self.dimm_w) < 0 or self.dynamic_exponent <= 0:
            raise ValueError("Powers must not be negative, and dynamic_exponent must be above 0.")
        if not 0.0 <= self.dimm_load_share <= 1.0:
            raise ValueError("dimm_load_share lies between 0 and 1.")
        if self.psus_powered < 1 or len(self.shares) != self.psus_powered:
            raise ValueError("psus_powered must be at least 1, with one entry of psu_shares for each.")
        if min(self.shares) <= 0 or abs(sum(self.shares) - 1.0) > 1e-6:
            raise ValueError("psu_shares must be above 0 and add up to 1.")

    @property
    def shares(self) -> tuple[float, ...]:
        """Share of the DC power [1] that each powered supply carries."""
        return self.psu_shares or (1.0 / self.psus_powered,) * self.psus_powered

    def dc_power_w(self, utilisation: float, dimm_count: int) -> float:
        """Compute the power behind the supplies [W] at a CPU utilisation [0..1]."""
        if not 0.0 <= utilisation <= 1.0 or dimm_count < 0:
            raise ValueError("Utilisation must be 0 to 1, and the DIMM count must not be negative.")
        memory_w = dimm_count * self.dimm_w * (1.0 - self.dimm_load_share * (1.0 - utilisation))
        return float(self.idle_w + self.dynamic_w * utilisation**self.dynamic_exponent + memory_w)

    def psu_input_power_w(self, utilisation: float, dimm_count: int) -> tuple[float, ...]:
        """Compute the AC input power of each powered supply [W]. Raises ValueError when one is overloaded."""
        dc_w = self.dc_power_w(utilisation, dimm_count)
        return tuple(self.psu.input_power_w(dc_w * share) for share in self.shares)

    def wall_power_w(self, utilisation: float, dimm_count: int) -> float:
        """Compute the server's power at the wall [W]: the sum over its powered supplies."""
        return sum(self.psu_input_power_w(utilisation, dimm_count))

    def watts_per_dimm_at_wall(self, dimm_counts: Sequence[int], utilisation: float = 1.0) -> float:
        """Compute the slope of wall power over DIMM count [W/DIMM]: what a perfect experiment would find.

        Ordinary least squares of the noise-free wall power at ``utilisation`` over ``dimm_counts`` (method.md 5.3); it
        exceeds ``dimm_w`` by the supplies' losses. Raises ValueError with fewer than two different counts.
        """
        if len(set(dimm_counts)) < 2:
            raise ValueError("Watts per DIMM need at least two different DIMM counts.")
        power_w = [self.wall_power_w(utilisation, count) for count in dimm_counts]
        return float(np.polynomial.polynomial.polyfit(np.asarray(dimm_counts, dtype=float), power_w, 1)[1])
