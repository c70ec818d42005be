"""Energy counted by a register, across its roll-over."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.energy.piecewise import PiecewisePower
from wattmark.analysis.energy.trace import CleanTrace
from wattmark.analysis.refusal import Refused

Array = NDArray[np.float64]
JOULE_PER_WH = 3600.0
PLAUSIBLE = 10.0
ROUNDING = 1e-3
"""Moves that differ by a smaller share of the largest are the same, but for how decimals are kept."""
SPARSE = 1.5
"""Moves that lie this much farther apart than readings, or are this much larger than a step, are not single ones."""


@dataclass(frozen=True, slots=True)
class CountedEnergy:
    """Energy that a register counted over the window [J].

    ``u_energy_j`` is its uncertainty from the resolution, None where its last digit is not known. ``edge_cells_s`` are
    the lengths of the two stretches between readings that contain the window's begin and end.
    """

    power: PiecewisePower
    energy_j: float
    u_energy_j: float | None
    edge_cells_s: tuple[float, float]


def counted_energy(trace: CleanTrace) -> CountedEnergy:
    """Compute the energy between a register's readings at both edges of the window [J].

    Between two readings at which the count had just moved, the energy at an edge is interpolated; there the true energy
    exceeds the count by less than the meter takes until the next reading, elsewhere by less than a step.
    Raises `Refused` as `register_power` does.
    """
    power, duration_s = register_power(trace), trace.duration_s
    begin, end = np.array([0.0]), np.array([duration_s])
    energy_j = float(power.energy_j(begin, end)[0])
    knots = power.t_s
    before = np.array([np.searchsorted(knots, 0.0, "right") - 1, np.searchsorted(knots, duration_s, "left") - 1])
    before = np.clip(before, 0, len(knots) - 2)
    cells_s = knots[before + 1] - knots[before]
    step_wh = last_digit(trace)
    u_j = None
    if step_wh is not None:
        fresh = (before > 0) & (before < len(knots) - 2)
        u_j = float(np.hypot(*np.where(fresh, *_reach_j(trace, power, step_wh * JOULE_PER_WH)))) / math.sqrt(12.0)
    return CountedEnergy(power, energy_j, u_j, (float(cells_s[0]), float(cells_s[1])))


def _reach_j(trace: CleanTrace, power: PiecewisePower, step_j: float) -> tuple[float, float]:
    """Compute how far the true energy may exceed the count where it had just moved, and where it had not [J].

    A register that moves by single steps had just reached the count, or has since the reading before. One that moves by
    more at every reading lags by less than a step; one that does so now and then is updated then, and lags by both.
    """
    moves_s, moves_j = np.diff(power.t_s), np.diff(power.t_s) * power.left
    between_j = float(np.median(np.diff(trace.t_s)) * moves_j.sum() / moves_s.sum())
    move_j = float(np.median(moves_j))
    if move_j <= SPARSE * step_j:
        return min(step_j, between_j), step_j
    if float(np.median(moves_s)) <= SPARSE * float(np.median(np.diff(trace.t_s))):
        return step_j, step_j
    return math.hypot(step_j, between_j), move_j


def register_power(trace: CleanTrace) -> PiecewisePower:
    """Convert a register's readings [Wh] to mean power between them [W]; gaps inside the window do not matter.

    Only readings at which the count had moved are knots, beside the first and the last: an unchanged count is
    the energy of an earlier instant. Raises `Refused` where it was not read on both sides of the window, and where it
    ran backwards without rolling over at its declared modulus.
    """
    name, t_s = trace.instrument.name, trace.t_s
    if len(t_s) < 2 or t_s[0] > 0 or t_s[-1] < trace.duration_s:
        raise Refused("register-edges", f"The energy register of {name} was not read both before and after the window.")
    count_wh = unwrapped(t_s, trace.value, trace.instrument.wraps_at)
    moved = np.diff(count_wh) != 0
    knots = np.concatenate(([True], moved))
    knots[-1] = True
    t_s, step_j = t_s[knots], np.diff(count_wh[knots]) * JOULE_PER_WH
    if np.any(step_j < 0):
        raise Refused("register-backwards", f"The energy register of {name} ran backwards: it overflowed or was reset.")
    watts = step_j / np.diff(t_s)
    return PiecewisePower(t_s, watts, watts, np.ones(len(watts), dtype=np.bool_))


def unwrapped(t_s: Array, value: Array, wraps_at: float | None) -> Array:
    """Continue a register past the value at which it begins again at 0 [unit of value].

    A step back is a roll-over only where the power that it then means is at most `PLAUSIBLE` times the highest that the
    other steps show; any other is a reset and is left unchanged.
    """
    step = np.diff(value)
    back = step < 0
    if wraps_at is None or not back.any():
        return value
    rate = np.where(back, step + wraps_at, step) / np.diff(t_s)
    fastest = float(rate[~back].max(initial=0.0))
    over = back & (rate >= 0) & (rate <= PLAUSIBLE * fastest)
    return np.asarray(value + wraps_at * np.concatenate(([0], np.cumsum(over))), dtype=np.float64)


def last_digit(trace: CleanTrace) -> float | None:
    """Return the step of a register [Wh]: the declared one, or a coarser one that its readings show; None: not known.

    A register in single precision loses digits as it fills. Its own step can be seen only where some readings
    repeat: it is the smallest change, or the difference of changes where it changes by several steps at a time.
    """
    step = np.abs(np.diff(trace.value))
    moved = step[step > 0]
    seen = [_common_step(moved)] if 0 < len(moved) < len(step) else []
    declared = trace.instrument.resolution
    return max([*seen, *([] if declared is None else [declared])], default=None)


def _common_step(moves: Array) -> float:
    """Find the smallest of moves and of their differences, but for rounding [unit of the moves]."""
    sizes = np.unique(moves)
    apart = np.diff(sizes)
    return float(min(sizes[0], apart[apart > ROUNDING * sizes[-1]].min(initial=sizes[0])))
