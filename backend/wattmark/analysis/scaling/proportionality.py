"""Power against load: energy proportionality, idle to peak, dynamic range and deviation from a line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wattmark.analysis.comparison.measured import Array, require_positive
from wattmark.analysis.refusal import Refused

Order = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Proportionality:
    """Figures of one power curve, all without unit; power at 0 % load is active idle, at 100 % the peak.

    ``ep`` = 2 - A/0.5 with A the trapezoid area under P(u)/P(1) (Ryckbosch, Polfliet and Eeckhout 2011): 1 is
    proportional, 0 flat. ``linear_deviation`` is the signed largest P(u)/line - 1 from the line idle to peak, found
    at ``deviates_at_pct``; ``idle_to_peak`` (IPR) is its companion (Varsamopoulos and Gupta 2010).
    """

    area: float
    ep: float
    weights: tuple[float, ...]
    """Change of ``ep`` for a relative change of the watts of each level, in order of load. They add up to nothing: what
    is proportional to the watts and common to all levels cancels."""
    idle_to_peak: float
    dynamic_range: float
    linear_deviation: float
    deviates_at_pct: float
    doubts: tuple[str, ...]
    """Reasons to doubt the table: power that falls while load rises."""


def proportionality(load_pct: ArrayLike, power_w: ArrayLike) -> Proportionality:
    """Compute the figures of a power curve; levels in any order, from 0 to 100 % load.

    Raises `Refused`: no idle or full level, a level twice, watts that are zero, negative or not finite.
    """
    watts = require_positive(power_w, "Watts of a power curve")
    order, load = _order(np.asarray(load_pct, dtype=np.float64), len(watts))
    watts, share = watts[order], load / 100
    relative = watts / watts[-1]
    area = float(np.trapezoid(relative, share))
    line = watts[0] + (watts[-1] - watts[0]) * share
    deviation = watts / line - 1
    worst = int(np.argmax(np.abs(deviation)))
    return Proportionality(
        area=area,
        ep=2 - area / 0.5,
        weights=_weights(share, watts, area),
        idle_to_peak=float(relative[0]),
        dynamic_range=1 - float(relative[0]),
        linear_deviation=float(deviation[worst]),
        deviates_at_pct=float(load[worst]),
        doubts=_doubts(load, watts),
    )


def _order(load: Array, count: int) -> tuple[Order, Array]:
    if load.ndim != 1 or len(load) != count:
        raise Refused("unequal-lengths", f"{load.size} load levels came with {count} powers; give one power per level.")
    if not np.all(np.isfinite(load)):
        raise Refused("not-finite", "A load level is not a finite number.")
    if len(load) < 2:
        raise Refused("one-point", "One load level does not make a curve; measure at least idle and full load.")
    order = np.argsort(load)
    rising = load[order]
    if np.any(np.diff(rising) == 0):
        raise Refused("equal-levels", "A load level occurs twice in the table; average its repeats first.")
    if rising[0] != 0 or rising[-1] != 100:
        raise Refused(
            "no-idle-or-full", f"Levels run from {rising[0]:g} to {rising[-1]:g} %; idle and 100 % are needed."
        )
    return order, rising


def _weights(share: Array, watts: Array, area: float) -> tuple[float, ...]:
    """Differentiate 2 - A/0.5 with A = sum w_i P_i/P_max by the logarithm of each level's watts."""
    steps = np.diff(share)
    weights = np.concatenate((steps, [0.0])) / 2 + np.concatenate(([0.0], steps)) / 2
    # the watts of the last level divide all others too, which lowers its derivative by the whole area
    weights[-1] -= area
    return tuple((-2 * weights * watts / watts[-1]).tolist())


def _doubts(load: Array, watts: Array) -> tuple[str, ...]:
    return tuple(
        f"Power falls from {watts[i]:g} W at {load[i]:g} % to {watts[i + 1]:g} W at {load[i + 1]:g} %; check the table."
        for i in np.flatnonzero(np.diff(watts) < 0)
    )
