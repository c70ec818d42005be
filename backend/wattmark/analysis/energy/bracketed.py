"""Energy as InferenceX integrates it: trapezoids between readings that bracket the window, its edges interpolated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bracketed:
    """Energy over a window [J], and the longest time between the readings that it rests on [s]."""

    energy_j: float
    longest_gap_s: float


def bracketed_energy(t_s: Array, watts: Array, duration_s: float) -> Bracketed | None:
    """Integrate instantaneous readings over [0, duration] [J]; ``t_s`` are seconds since the window began, in order.

    None where fewer than two readings bracket the window. Source: InferenceX, utils/aggregate_power.py.
    """
    if len(t_s) < 2 or t_s[0] > 0 or t_s[-1] < duration_s:
        return None
    first = int(np.searchsorted(t_s, 0.0, "right")) - 1
    last = int(np.searchsorted(t_s, duration_s, "left"))
    inside = t_s[(t_s > 0) & (t_s < duration_s)]
    edges = np.concatenate(([0.0], inside, [duration_s]))
    return Bracketed(
        energy_j=float(np.trapezoid(np.interp(edges, t_s, watts), edges)),
        longest_gap_s=float(np.max(np.diff(t_s[first : last + 1]), initial=0.0)),
    )
