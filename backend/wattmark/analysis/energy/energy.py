"""Energy in the window by kind of meter; missing readings are detected, bounded and, above a limit, refused."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.energy.piecewise import PiecewisePower
from wattmark.analysis.energy.register import counted_energy
from wattmark.analysis.energy.sliding import unfolded
from wattmark.analysis.energy.trace import CleanTrace, between_readings
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits
from wattmark.core.numbers import format_number

Array = NDArray[np.float64]
LONGEST_JITTER = 1.5
"""A step of more periods may hide a reading; the shortfall of its neighbours is subtracted first, as jitter only moves
readings."""
OVER_RANGE_REACH = 1.4
"""Highest reading over the range, assumed for a meter whose limit is not declared: Yokogawa's WT300 shows overload at
140 % of the range and above."""
NOTHING_CUT = (0.0, 0.0)
"""No stretch between readings crosses an edge [s]."""


@dataclass(frozen=True, slots=True)
class Losses:
    """Time of the window without a good reading [s], by cause.

    ``silent_s`` has no reading or a repeated one, ``invalid_s`` a bad sample, ``over_range_s`` one beyond the range.
    ``gaps`` counts the stretches.
    """

    silent_s: float
    invalid_s: float
    over_range_s: float
    gaps: int

    @property
    def lost_s(self) -> float:
        """Return the total time without a good reading [s]."""
        return self.silent_s + self.invalid_s + self.over_range_s


def losses(trace: CleanTrace, limits: Limits) -> Losses:
    """Compute the time of the window without a good reading [s], edges included.

    The number of readings due follows from the period, never from the gaps themselves.
    """
    duration_s = trace.duration_s
    begin, end = _unmeasured(trace, limits)
    stretch_s = np.clip(end, 0.0, duration_s) - np.clip(begin, 0.0, duration_s)
    stretch_s = stretch_s[stretch_s > 1e-9 * duration_s]
    lost_s = min(float(stretch_s.sum()), duration_s)
    if lost_s == 0:
        return Losses(0.0, 0.0, 0.0, 0)
    invalid = np.setdiff1d(trace.bad_t_s, np.concatenate((trace.over_range_t_s, trace.stale_t_s)))
    over_range_s = min(_count_inside(trace.over_range_t_s, duration_s) * trace.period_s, lost_s)
    invalid_s = min(_count_inside(invalid, duration_s) * trace.period_s, lost_s - over_range_s)
    gaps = _scattered(trace, lost_s) if trace.dithered else len(stretch_s)
    return Losses(lost_s - over_range_s - invalid_s, invalid_s, over_range_s, gaps)


def _scattered(trace: CleanTrace, lost_s: float) -> int:
    """Count the gaps of readings at random times: long steps, and no more of them than polls are missing."""
    begin, end = _long_steps(trace.t_s, trace.period_s)
    long = np.count_nonzero((end > begin) & (end > 0) & (begin < trace.duration_s))
    return max(1, min(int(long), round(lost_s / trace.period_s)))


def _count_inside(t_s: Array, duration_s: float) -> int:
    return int(np.count_nonzero((t_s > 0) & (t_s <= duration_s)))


def _unmeasured(trace: CleanTrace, limits: Limits) -> tuple[Array, Array]:
    """List the stretches [begin, end) that no good reading represents [s]."""
    t_s, period_s, duration_s = trace.t_s, trace.period_s, trace.duration_s
    inner = _fewer_polls(trace) if trace.dithered else _long_steps(t_s, period_s)
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
    """Find the time missing in long steps: whole periods beyond one, less the shortfall of neighbouring steps."""
    excess = np.diff(t_s)
    excess /= period_s
    excess -= 1
    long = np.flatnonzero(excess > LONGEST_JITTER - 1)
    if not len(long):
        return np.zeros(0), np.zeros(0)
    before = np.where(long > 0, np.minimum(excess[long - 1], 0.0), 0.0)
    after = np.where(long + 1 < len(excess), np.minimum(excess[np.minimum(long + 1, len(excess) - 1)], 0.0), 0.0)
    missing = np.maximum(np.rint(excess[long] + before + after), 0.0)
    end = t_s[long + 1] - period_s
    return end - missing * period_s, end


def _fewer_polls(trace: CleanTrace) -> tuple[Array, Array]:
    """Count missing polls at random times: one per cell is due, less one that may lie beyond an edge.

    Their stamps do not show where in the window they are missing; the stretch is put at its begin.
    """
    due, came = trace.duration_s / trace.period_s, _count_inside(trace.t_s, trace.duration_s)
    return np.zeros(1), np.array([max(np.floor(due - came - 1), 0.0) * trace.period_s])


NOTHING_LOST = Losses(0.0, 0.0, 0.0, 0)


@dataclass(frozen=True, slots=True)
class WindowEnergy:
    """Energy of one meter over the window.

    ``energy_j`` is mean measured power times duration; ``low_j`` and ``high_j`` fill unmeasured
    time with the lowest and the highest possible power (None: unbounded).
    """

    power: PiecewisePower
    energy_j: float
    low_j: float
    high_j: float | None
    losses: Losses = NOTHING_LOST
    u_energy_j: float | None = 0.0
    """Standard uncertainty from the resolution of a register [J]; None: its last digit is not known."""
    u_unfolding_j: float = 0.0
    """Standard uncertainty of recovering power from sliding means [J]."""
    cells_s: tuple[float, float] | None = None
    """Stretches between readings that contain the window's begin and end [s]; None: the meter's period."""

    @property
    def farthest_j(self) -> float | None:
        """Compute how far the true energy may lie from ``energy_j`` [J]; None where it is unbounded."""
        return None if self.high_j is None else max(self.high_j - self.energy_j, self.energy_j - self.low_j, 0.0)


def window_energy(trace: CleanTrace, limits: Limits) -> WindowEnergy:
    """Integrate one meter over the window by its kind [J].

    Averages that end at the stamp apply backwards, instantaneous values are joined by lines, registers subtracted.
    Raises `Refused` when cells without a good reading exceed their share of the window.
    """
    if trace.instrument.kind == "counter":
        return _register_energy(trace)
    power, u_unfolding_j = _unfolded(trace) if _unfolds(trace) else (power_function(trace, limits), 0.0)
    lost, duration_s = losses(trace, limits), trace.duration_s
    most_s = limits.most_lost_s(duration_s, trace.period_s)
    if lost.lost_s > most_s:
        text = _gaps_text(trace, lost)
        raise Refused(
            "gaps",
            f"{text}, more than {format_number(most_s, 3)} s; {_remedy(trace)}",
            cause=f"{format_number(lost.lost_s, 3)} s lost",
        )
    begin, end = np.array([0.0]), np.array([duration_s])
    # where time is uncovered, the mean power of the covered time fills it; `bounded` states how wrong that may be
    measured_j, covered_s = float(power.energy_j(begin, end)[0]), float(power.covered_s(begin, end)[0])
    whole = power.t_s[0] <= 0 and power.t_s[-1] >= duration_s and bool(power.covered.all())
    energy = bounded(trace, power, measured_j if whole else measured_j / covered_s * duration_s, lost)
    return replace(energy, u_unfolding_j=u_unfolding_j)


def _unfolds(trace: CleanTrace) -> bool:
    return trace.sliding_s is not None and trace.unfolds


def _unfolded(trace: CleanTrace) -> tuple[PiecewisePower, float]:
    """Recover power from sliding means, with the uncertainty of its integral over the window [J].

    Raises `Refused` for a window shorter than the averaging time, or too short a recording around it.
    """
    averaging_s, duration_s, name = trace.sliding_s or 0.0, trace.duration_s, trace.instrument.name
    if averaging_s > duration_s:
        raise Refused(
            "averaging",
            f"Each reading of {name} averages over {format_number(averaging_s, 4)} s, longer than the window of "
            f"{format_number(duration_s, 4)} s, "
            "so none is of the window alone; use a longer window, or a meter that averages over less.",
        )
    power = unfolded(trace.t_s, trace.value, averaging_s, trace.period_s)
    if power is None or trace.t_s[0] > averaging_s or trace.t_s[-1] < duration_s - trace.period_s:
        raise Refused(
            "averaging",
            f"Each reading of {name} averages over {format_number(averaging_s, 4)} s, and too few were recorded "
            "around the window for "
            f"its power; record for {format_number(averaging_s, 4)} s before and after it.",
        )
    reached = power.power
    if reached.t_s[-1] < duration_s:
        reached = _held_to(reached, duration_s)
    return reached, power.u_energy_j(duration_s)


def _held_to(power: PiecewisePower, end_s: float) -> PiecewisePower:
    """Extend the last piece of power to an instant less than a period later."""
    last = power.left[-1:]
    held = np.concatenate((power.left, last))
    return PiecewisePower(np.append(power.t_s, end_s), held, held, np.append(power.covered, True))


def mean_energy(trace: CleanTrace, mean_w: float, limits: Limits) -> WindowEnergy:
    """Return the energy of a meter whose mean power is that of its samples [J], for rules that average samples."""
    return bounded(trace, power_function(trace, limits), mean_w * trace.duration_s, losses(trace, limits))


def bounded(trace: CleanTrace, power: PiecewisePower, energy_j: float, lost: Losses) -> WindowEnergy:
    """Estimate bounds of the energy in cells without a good reading [J].

    The lowest power is 0 W, or the highest good reading where the meter was beyond its range; the highest is the
    meter's maximum. Where that is not known, silence is bounded by the highest reading of the whole recording, while a
    bad sample, or one beyond the range, leaves the energy unbounded.
    """
    mean_w, highest_w = energy_j / trace.duration_s, float(trace.value.max())
    meter, most_w = trace.instrument, trace.instrument.most_w
    low_j = energy_j - (lost.silent_s + lost.invalid_s) * mean_w + lost.over_range_s * max(highest_w - mean_w, 0.0)
    if most_w is None and lost.invalid_s + lost.over_range_s > 0:
        return WindowEnergy(power, energy_j, low_j, None, lost)
    most_w = highest_w if most_w is None else max(most_w, highest_w)
    high_j = energy_j + (lost.silent_s + lost.invalid_s) * (most_w - mean_w)
    high_j += lost.over_range_s * (most_w * (OVER_RANGE_REACH if meter.highest_w is None else 1.0) - mean_w)
    return WindowEnergy(power, energy_j, low_j, high_j, lost)


def _gaps_text(trace: CleanTrace, lost: Losses) -> str:
    """Explain how much of the window has no good reading."""
    due = "is usual in this log" if trace.instrument.logged_by_others else "is declared"
    return (
        f"{trace.instrument.name} gave no good reading for {format_number(lost.lost_s, 3)} s of "
        f"{format_number(trace.duration_s, 4)} s "
        f"(one every {trace.instrument.period_s:g} s {due})"
    )


def _remedy(trace: CleanTrace) -> str:
    """Choose the advice: repeat the run or choose another part of its log, or declare the observed update interval."""
    if trace.instrument.log_begin_ns is not None:
        return "choose a part of the log without them (--from and --to, or on the page Archives)."
    if trace.instrument.logged_by_others:
        return "get the complete log."
    steps = np.diff(trace.t_s)
    seen_s = float(np.median(steps)) if len(steps) else 0.0
    if seen_s > 1.5 * trace.instrument.period_s:
        return f"repeat the run, or declare the period of {format_number(seen_s, 3)} s that the meter really keeps."
    return "repeat the run."


def power_function(trace: CleanTrace, limits: Limits) -> PiecewisePower:
    """Describe power over time by the meter's kind, leaving gaps longer than the limit for bridging uncovered."""
    period_s = trace.period_s
    fills_cells = trace.fills_cells
    t_s, value = trace.t_s, trace.value
    # means apply backwards, so the first one also covers the period before its stamp
    t_s = np.concatenate(([t_s[0] - period_s], t_s)) if fills_cells else t_s
    left, right = (value, value) if fills_cells else (value[:-1], value[1:])
    covered = np.diff(t_s) <= limits.gap_bridged * period_s
    if fills_cells and not covered.all():
        t_s, left, covered = _split_long_cells(t_s, left, covered, period_s)
        right = left
    hold_s = limits.edge_hold * period_s
    t_s, left, right, covered = _reach_edges(t_s, left, right, covered, value, hold_s, trace.duration_s)
    if covered.all():
        return PiecewisePower(t_s, left, right, covered)
    return PiecewisePower(t_s, np.where(covered, left, 0.0), np.where(covered, right, 0.0), covered)


def _split_long_cells(
    t_s: Array, value: Array, covered: NDArray[np.bool_], period_s: float
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Keep the last period of a cell after a long gap, the only part that its average describes."""
    long = np.nonzero(~covered)[0]
    knots = np.insert(t_s, long + 1, t_s[long + 1] - period_s)
    shift = long + np.arange(len(long))
    flags = np.ones(len(knots) - 1, dtype=np.bool_)
    flags[shift] = False
    return knots, np.insert(value, long, 0.0), flags


def _reach_edges(
    t_s: Array, left: Array, right: Array, covered: NDArray[np.bool_], value: Array, hold_s: float, duration_s: float
) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """Extend the outermost values to the window's edges, by at most ``hold_s``."""
    same = left is right
    if 0 < t_s[0] <= hold_s:
        t_s, covered = np.concatenate(([0.0], t_s)), np.concatenate(([True], covered))
        left = np.concatenate((value[:1], left))
        right = left if same else np.concatenate((value[:1], right))
    if 0 < duration_s - t_s[-1] <= hold_s:
        t_s, covered = np.concatenate((t_s, [duration_s])), np.concatenate((covered, [True]))
        left = np.concatenate((left, value[-1:]))
        right = left if same else np.concatenate((right, value[-1:]))
    return t_s, left, right, covered


def _register_energy(trace: CleanTrace) -> WindowEnergy:
    """Return the register's energy; it also counts between readings, so it needs no bounds [J]."""
    counted = counted_energy(trace)
    energy_j, u_energy_j = counted.energy_j, counted.u_energy_j
    return WindowEnergy(
        counted.power, energy_j, energy_j, energy_j, u_energy_j=u_energy_j, cells_s=counted.edge_cells_s
    )


def energy_between_readings(trace: CleanTrace, limits: Limits) -> WindowEnergy:
    """Integrate one meter from its first to its last reading inside the window, as power over the whole window [J].

    Nothing is interpolated at the marks: power is the energy between those readings over the time between them, and
    the energy of the window is that power times its length (EEHPCWG methodology, level 3). Raises `Refused` where
    fewer than two readings lie inside.
    """
    cut, first_s = between_readings(trace)
    part = window_energy(cut, limits)
    scale = trace.duration_s / cut.duration_s
    return replace(
        part,
        power=_over_the_window(part.power, first_s, trace.duration_s),
        energy_j=part.energy_j * scale,
        low_j=part.low_j * scale,
        high_j=None if part.high_j is None else part.high_j * scale,
        u_energy_j=None if part.u_energy_j is None else part.u_energy_j * scale,
        cells_s=NOTHING_CUT,
    )


def _over_the_window(power: PiecewisePower, first_s: float, duration_s: float) -> PiecewisePower:
    """Move power back to the window's axis and extend its outermost pieces to the window's edges."""
    t_s = power.t_s + first_s
    t_s[0], t_s[-1] = min(t_s[0], 0.0), max(t_s[-1], duration_s)
    return replace(power, t_s=np.asarray(t_s))
