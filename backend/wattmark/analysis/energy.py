"""Energy in the window by kind of meter, with gaps found, bounded and, where too long, refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.limits import Limits
from wattmark.analysis.losses import OVER_RANGE_REACH, Losses, losses
from wattmark.analysis.piecewise import PiecewisePower
from wattmark.analysis.refusal import Refused
from wattmark.analysis.register_energy import counted_energy
from wattmark.analysis.trace import CleanTrace

Array = NDArray[np.float64]
NOTHING_LOST = Losses(0.0, 0.0, 0.0, 0)


@dataclass(frozen=True, slots=True)
class WindowEnergy:
    """Energy of one meter over the window.

    ``energy_j`` is mean measured power times duration; ``low_j`` and ``high_j`` fill what nobody measured with the
    least and the most that it can have been (None: nothing bounds it).
    """

    power: PiecewisePower
    energy_j: float
    low_j: float
    high_j: float | None
    losses: Losses = NOTHING_LOST
    u_energy_j: float | None = 0.0
    """What the resolution of a register leaves open; None: its last digit is not known."""
    cells_s: tuple[float, float] | None = None
    """Stretches between readings that the window's begin and end lie in; None: the meter's period."""

    @property
    def farthest_j(self) -> float | None:
        """Compute how far the true energy may lie from ``energy_j`` [J]; None where nothing bounds it."""
        return None if self.high_j is None else max(self.high_j - self.energy_j, self.energy_j - self.low_j, 0.0)


def window_energy(trace: CleanTrace, duration_s: float, limits: Limits) -> WindowEnergy:
    """Integrate one meter over (0, duration) by its kind [J].

    Averages ending at the stamp are held backwards, instantaneous values joined by lines, registers subtracted.
    Raises `Refused` when cells without a good reading exceed their share of the window.
    """
    if trace.instrument.kind == "counter":
        return _register_energy(trace, duration_s)
    power = power_function(trace, limits, duration_s)
    lost = losses(trace, duration_s, limits)
    most_s = limits.most_lost_s(duration_s, trace.period_s)
    if lost.lost_s > most_s:
        text = _gaps_text(trace, lost, duration_s)
        raise Refused("gaps", f"{text}, more than {most_s:.3g} s; {_remedy(trace)}")
    begin, end = np.array([0.0]), np.array([duration_s])
    measured_j, covered_s = float(power.energy_j(begin, end)[0]), float(power.covered_s(begin, end)[0])
    whole = power.t_s[0] <= 0 and power.t_s[-1] >= duration_s and bool(power.covered.all())
    return bounded(trace, power, measured_j if whole else measured_j / covered_s * duration_s, lost, duration_s)


def bounded(trace: CleanTrace, power: PiecewisePower, energy_j: float, lost: Losses, duration_s: float) -> WindowEnergy:
    """Bound the energy by what the cells without a good reading can have held [J].

    The least is 0 W, or the highest good reading where the meter was beyond its range; the most is what the meter can
    show. Where that is not known, silence may hide the highest reading of the whole recording, while a reading that was
    no number, or beyond the range, is bounded by nothing.
    """
    mean_w, highest_w = energy_j / duration_s, float(trace.value.max())
    meter, most_w = trace.instrument, trace.instrument.most_w
    low_j = energy_j - (lost.silent_s + lost.invalid_s) * mean_w + lost.over_range_s * max(highest_w - mean_w, 0.0)
    if most_w is None and lost.invalid_s + lost.over_range_s > 0:
        return WindowEnergy(power, energy_j, low_j, None, lost)
    most_w = highest_w if most_w is None else max(most_w, highest_w)
    high_j = energy_j + (lost.silent_s + lost.invalid_s) * (most_w - mean_w)
    high_j += lost.over_range_s * (most_w * (OVER_RANGE_REACH if meter.highest_w is None else 1.0) - mean_w)
    return WindowEnergy(power, energy_j, low_j, high_j, lost)


def _gaps_text(trace: CleanTrace, lost: Losses, duration_s: float) -> str:
    """Say how much of the window has no good reading."""
    return (
        f"{trace.instrument.name} gave no good reading for {lost.lost_s:.3g} s of {duration_s:.4g} s "
        f"(one every {trace.instrument.period_s:g} s is declared)"
    )


def _remedy(trace: CleanTrace) -> str:
    """Advise to repeat, or to declare the rhythm that the meter really keeps."""
    steps = np.diff(trace.t_s)
    seen_s = float(np.median(steps)) if len(steps) else 0.0
    if seen_s > 1.5 * trace.instrument.period_s:
        return f"repeat the run, or declare the period of {seen_s:.3g} s that the meter really keeps."
    return "repeat the run."


def power_function(trace: CleanTrace, limits: Limits, duration_s: float) -> PiecewisePower:
    """Describe power over time by the meter's kind, leaving gaps longer than the bridged limit uncovered."""
    period_s = trace.period_s
    held = trace.fills_cells
    t_s, value = trace.t_s, trace.value
    t_s = np.concatenate(([t_s[0] - period_s], t_s)) if held else t_s
    left, right = (value, value) if held else (value[:-1], value[1:])
    covered = np.diff(t_s) <= limits.gap_bridged * period_s
    if held and not covered.all():
        t_s, left, covered = _split_long_cells(t_s, left, covered, period_s)
        right = left
    t_s, left, right, covered = _reach_edges(t_s, left, right, covered, value, limits.edge_hold * period_s, duration_s)
    if covered.all():
        return PiecewisePower(t_s, left, right, covered)
    return PiecewisePower(t_s, np.where(covered, left, 0.0), np.where(covered, right, 0.0), covered)


def _split_long_cells(
    t_s: Array, value: Array, covered: NDArray[np.bool_], period_s: float
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Keep the last period of a cell after a long gap: there the average is known."""
    long = np.nonzero(~covered)[0]
    knots = np.insert(t_s, long + 1, t_s[long + 1] - period_s)
    shift = long + np.arange(len(long))
    flags = np.ones(len(knots) - 1, dtype=np.bool_)
    flags[shift] = False
    return knots, np.insert(value, long, 0.0), flags


def _reach_edges(
    t_s: Array, left: Array, right: Array, covered: NDArray[np.bool_], value: Array, hold_s: float, duration_s: float
) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """Hold the outermost values outwards to the window's edges, at most ``hold_s``."""
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


def _register_energy(trace: CleanTrace, duration_s: float) -> WindowEnergy:
    """Take what the register counted; it also counted what nobody read, so there is nothing to bound."""
    counted = counted_energy(trace, duration_s)
    energy_j, u_energy_j = counted.energy_j, counted.u_energy_j
    return WindowEnergy(
        counted.power, energy_j, energy_j, energy_j, u_energy_j=u_energy_j, cells_s=counted.edge_cells_s
    )
