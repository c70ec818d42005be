"""Power supplies: DC output to AC input by an efficiency curve over load."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

EFFICIENCY_CURVES: dict[str, tuple[tuple[float, float], ...]] = {
    "80plus-bronze": ((0.2, 0.81), (0.5, 0.85), (1.0, 0.81)),
    "80plus-silver": ((0.2, 0.85), (0.5, 0.89), (1.0, 0.85)),
    "80plus-gold": ((0.2, 0.88), (0.5, 0.92), (1.0, 0.88)),
    "80plus-platinum": ((0.2, 0.90), (0.5, 0.94), (1.0, 0.91)),
    "80plus-titanium": ((0.1, 0.90), (0.2, 0.94), (0.5, 0.96), (1.0, 0.91)),
    "uncertified-2006": ((0.2, 0.72), (0.5, 0.78), (1.0, 0.76)),
}
"""(load fraction, efficiency). The 80 PLUS rows are the limits of the 230 V internal redundant class; the last row
is an assumed supply of the FB-DIMM years, with the 78 % that the watts-per-DIMM literature reckons with."""


@dataclass(frozen=True, slots=True)
class PsuModel:
    """One power supply.

    Losses are interpolated linearly between the points of the curve, starting at ``no_load_w``: this meets the
    declared efficiency at every point and keeps input power strictly increasing with output power.
    """

    rated_w: float
    points: tuple[tuple[float, float], ...] = EFFICIENCY_CURVES["80plus-bronze"]
    no_load_w: float = 8.0

    def __post_init__(self) -> None:
        loads = [0.0, *(load for load, _ in self.points)]
        if not self.points or any(low >= high for low, high in pairwise(loads)) or loads[-1] != 1.0:
            raise ValueError("PSU curve: load fractions must rise from above 0 to 1.")
        if not all(0.0 < efficiency <= 1.0 for _, efficiency in self.points):
            raise ValueError("PSU curve: an efficiency must be above 0 and at most 1.")
        if self.rated_w <= 0 or self.no_load_w < 0:
            raise ValueError("PSU: rated_w must be above 0 and no_load_w not below 0.")
        inputs = [self.input_power_w(load * self.rated_w) for load in loads]
        if any(low >= high for low, high in pairwise(inputs)):
            raise ValueError(
                "PSU curve: input power must rise with load; the efficiencies or no_load_w contradict that."
            )

    def input_power_w(self, output_w: float) -> float:
        """Convert DC output power [W] to AC input power [W]. Raises ValueError above the rating."""
        if not 0.0 <= output_w <= self.rated_w * (1 + 1e-9):
            raise ValueError(f"a PSU of {self.rated_w:g} W cannot deliver {output_w:.4g} W")
        loads = [0.0, *(load for load, _ in self.points)]
        losses = [self.no_load_w, *(load * self.rated_w * (1 / efficiency - 1) for load, efficiency in self.points)]
        return output_w + float(np.interp(output_w / self.rated_w, loads, losses))
