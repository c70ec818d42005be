"""Energy in the window by kind of meter, with gaps found, bounded and, where too long, refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import counter_uncertainty

from wattmark.analysis.limits import Limits
from wattmark.analysis.piecewise import PiecewisePower
from wattmark.analysis.refusal import Refused
from wattmark.analysis.register_energy import JOULE_PER_WH, register_power
from wattmark.analysis.trace import CleanTrace

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WindowEnergy:
    """Energy of one meter over the window.

    ``energy_j`` is mean measured power times duration; ``low_j`` and ``high_j`` fill what nobody measured with the
    lowest and highest power seen. ``gap_s`` is the time lost in gaps, ``u_energy_j`` the register's resolution.
    """

    power: PiecewisePower
    energy_j: float
    low_j: float
    high_j: float
    gap_s: float
    gaps: int
    u_energy_j: float = 0.0


def window_energy(trace: CleanTrace, duration_s: float, limits: Limits) -> WindowEnergy:
    """Integrate one meter over (0, duration) by its kind [J].

    Averages ending at the stamp are held backwards, instantaneous values joined by lines, registers subtracted.
    Raises `Refused` when gaps exceed their share of the window or a register is too coarse for it.
    """
    if trace.instrument.kind == "counter":
        return _register_energy(trace, duration_s, limits)
    power = power_function(trace, limits, duration_s)
    lost = lost_time(trace, duration_s, limits)
    gap_s = float(lost.sum())
    if gap_s > limits.gap_share_pct / 100 * duration_s:
        raise Refused(
            "gaps",
            f"{trace.instrument.name} was silent for {gap_s:.3g} s of {duration_s:.4g} s, more than "
            f"{limits.gap_share_pct:g} %; repeat the run.",
        )
    return _with_bounds(power, duration_s, gap_s, len(lost))


def power_function(trace: CleanTrace, limits: Limits, duration_s: float) -> PiecewisePower:
    """Describe power over time by the meter's kind, leaving gaps longer than the bridged limit uncovered."""
    period_s = trace.period_s
    held = trace.instrument.kind == "averaged"
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


def lost_time(trace: CleanTrace, duration_s: float, limits: Limits) -> Array:
    """Compute the time lost inside the window by each flagged gap, edges included [s]."""
    t_s, period_s = trace.t_s, trace.period_s
    step = np.diff(t_s)
    flagged = step > limits.gap_flagged * period_s
    begin, end = t_s[:-1][flagged], t_s[1:][flagged] - period_s
    inner = np.clip(end, 0, duration_s) - np.clip(begin, 0, duration_s)
    first_known = t_s[0] - (period_s if trace.instrument.kind == "averaged" else 0.0)
    edges = np.array([first_known, duration_s - t_s[-1]])
    edges = np.where(edges > limits.edge_hold * period_s, np.minimum(edges, duration_s), 0.0)
    lost = np.concatenate((inner, edges))
    return lost[lost > 0]


def _with_bounds(power: PiecewisePower, duration_s: float, gap_s: float, gaps: int) -> WindowEnergy:
    """Scale measured energy to the whole window and bound what was not measured."""
    begin, end = np.array([0.0]), np.array([duration_s])
    measured_j, covered_s = float(power.energy_j(begin, end)[0]), float(power.covered_s(begin, end)[0])
    inside = (power.t_s[1:] > 0) & (power.t_s[:-1] < duration_s)
    measured = inside & power.covered
    whole = power.t_s[0] <= 0 and power.t_s[-1] >= duration_s and bool(power.covered[inside].all())
    missing_s = 0.0 if whole else duration_s - covered_s
    low = float(np.minimum(power.left, power.right)[measured].min())
    high = float(np.maximum(power.left, power.right)[measured].max())
    return WindowEnergy(
        power=power,
        energy_j=measured_j / covered_s * duration_s,
        low_j=measured_j + low * missing_s,
        high_j=measured_j + high * missing_s,
        gap_s=gap_s,
        gaps=gaps,
    )


def _register_energy(trace: CleanTrace, duration_s: float, limits: Limits) -> WindowEnergy:
    """Subtract register readings at the edges, interpolated between two reads; gaps inside do not matter."""
    name = trace.instrument.name
    power = register_power(trace, duration_s)
    energy_j = float(power.energy_j(np.array([0.0]), np.array([duration_s]))[0])
    u_energy_j = counter_uncertainty((trace.instrument.resolution or 0.0) * JOULE_PER_WH)
    if u_energy_j > limits.counter_share_pct / 100 * energy_j:
        raise Refused(
            "register-coarse",
            f"The register of {name} is too coarse for {duration_s:.4g} s: its last digit is worth "
            f"{u_energy_j:.3g} J of {energy_j:.4g} J; take a longer window.",
        )
    return WindowEnergy(power, energy_j, energy_j, energy_j, 0.0, 0, u_energy_j)
