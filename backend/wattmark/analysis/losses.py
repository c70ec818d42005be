"""Readings that should have come and did not, or came and were none: how much of the window they leave unmeasured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.limits import Limits
from wattmark.analysis.trace import CleanTrace, dithered

Array = NDArray[np.float64]
LONGEST_JITTER = 1.5
"""A step of more periods may hide a reading; what its neighbours are too short by is taken off first, for jitter only
moves readings."""
OVER_RANGE_REACH = 1.4
"""How far beyond its range a meter may be driven whose limit is not declared: Yokogawa's WT300 shows overload from
140 % of the range on."""


@dataclass(frozen=True, slots=True)
class Losses:
    """Time of the window without a good reading [s], by what happened to the readings.

    ``silent_s`` got none at all or an old one again, ``invalid_s`` one that was no number, ``over_range_s`` one beyond
    the range. ``gaps`` counts the stretches.
    """

    silent_s: float
    invalid_s: float
    over_range_s: float
    gaps: int

    @property
    def lost_s(self) -> float:
        """Add up the time [s]."""
        return self.silent_s + self.invalid_s + self.over_range_s


def losses(trace: CleanTrace, duration_s: float, limits: Limits) -> Losses:
    """Count the cells of the window (0, duration) without a good reading, edges included.

    How many readings there should be follows from the declared period, never from the gaps that are there.
    """
    begin, end = _unmeasured(trace, limits, duration_s)
    stretch_s = np.clip(end, 0.0, duration_s) - np.clip(begin, 0.0, duration_s)
    stretch_s = stretch_s[stretch_s > 1e-9 * duration_s]
    lost_s = min(float(stretch_s.sum()), duration_s)
    if lost_s == 0:
        return Losses(0.0, 0.0, 0.0, 0)
    invalid = np.setdiff1d(trace.bad_t_s, np.concatenate((trace.over_range_t_s, trace.stale_t_s)))
    over_range_s = min(_held(trace.over_range_t_s, duration_s) * trace.period_s, lost_s)
    invalid_s = min(_held(invalid, duration_s) * trace.period_s, lost_s - over_range_s)
    return Losses(lost_s - over_range_s - invalid_s, invalid_s, over_range_s, len(stretch_s))


def _held(t_s: Array, duration_s: float) -> int:
    return int(np.count_nonzero((t_s > 0) & (t_s <= duration_s)))


def _unmeasured(trace: CleanTrace, limits: Limits, duration_s: float) -> tuple[Array, Array]:
    """List the stretches [begin, end) that no good reading stands for [s]."""
    t_s, period_s = trace.t_s, trace.period_s
    inner = _fewer_polls(trace, duration_s) if dithered(t_s, period_s) else _long_steps(t_s, period_s)
    first_known = float(t_s[0]) - (period_s if trace.fills_cells else 0.0)
    reach_s = limits.edge_hold * period_s
    begin, end = [inner[0]], [inner[1]]
    if first_known > reach_s:
        begin.append(np.array([0.0]))
        end.append(np.array([first_known]))
    if duration_s - t_s[-1] > reach_s:
        begin.append(t_s[-1:])
        end.append(np.array([duration_s]))
    return np.concatenate(begin), np.concatenate(end)


def _long_steps(t_s: Array, period_s: float) -> tuple[Array, Array]:
    """Find what long steps lack: whole periods beyond one, less what the steps beside them are too short by."""
    excess = np.diff(t_s) / period_s - 1
    long = np.flatnonzero(excess > LONGEST_JITTER - 1)
    if not len(long):
        return np.zeros(0), np.zeros(0)
    short = np.minimum(np.concatenate(([0.0], excess, [0.0])), 0.0)
    missing = np.maximum(np.rint(excess[long] + short[long] + short[long + 2]), 0.0)
    end = t_s[long + 1] - period_s
    return end - missing * period_s, end


def _fewer_polls(trace: CleanTrace, duration_s: float) -> tuple[Array, Array]:
    """Count polls at random places of their cells: one a cell, but for one that may lie beyond either edge.

    Where in the window they are missing is not told by their stamps; the stretch stands at its begin.
    """
    due = duration_s / trace.period_s
    came = int(np.count_nonzero((trace.t_s > 0) & (trace.t_s <= duration_s)))
    return np.zeros(1), np.array([max(np.floor(due - came - 1), 0.0) * trace.period_s])
