"""Wall power against the power that a supply delivers, by its curve of efficiency."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from wattmark.analysis.refusal import Refused
from wattmark.core.numbers import format_number

STEP = 0.01


def marginal_efficiency(curve_pct: Mapping[float, float], rated_w: float, wall_w: float) -> float:
    """Compute the power delivered per additional watt at the wall, near ``wall_w`` [1].

    ``curve_pct`` is efficiency [%] by load [% of ``rated_w``], joined by lines; several equal supplies that share the
    load count as one of their summed rating. A module's watts at the wall times this are its watts behind the supply.
    Raises `Refused` outside the curve: it is not extrapolated.
    """
    load = np.array(sorted(curve_pct)) / 100
    efficiency = np.array([curve_pct[key] for key in sorted(curve_pct)]) / 100
    if len(load) < 2 or np.any(efficiency <= 0) or np.any(efficiency > 1) or np.any(load <= 0) or rated_w <= 0:
        raise Refused(
            "no-curve",
            "The PSU efficiency curve is not valid; give at least two loads above 0 %, efficiencies of up to 100 % and "
            "a rated power above 0 W.",
        )
    wall = load * rated_w / efficiency
    if np.any(np.diff(wall) <= 0) or not wall[0] <= wall_w <= wall[-1]:
        raise Refused(
            "outside-curve",
            f"The power supply's efficiency curve does not cover {format_number(wall_w, 4)} W at the wall.",
        )
    fine = np.linspace(load[0], load[-1], 20_001)
    drawn = fine * rated_w / np.interp(fine, load, efficiency)
    low, high = (np.interp(wall_w * (1 + side), drawn, fine * rated_w) for side in (-STEP, STEP))
    reach = np.clip([wall_w * (1 - STEP), wall_w * (1 + STEP)], drawn[0], drawn[-1])
    return float((high - low) / (reach[1] - reach[0]))
