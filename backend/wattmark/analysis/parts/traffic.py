"""Watts that a unit of work per second costs, from one load at several levels: memory traffic, for one.

Levels are compared within each installation of the parts, so that what installing changes at all levels cancels.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from wattmark.analysis.comparison.comparison import student_factor
from wattmark.analysis.comparison.course import Turns
from wattmark.analysis.comparison.repeats import floored, joined
from wattmark.analysis.parts.fit import LACK_OF_FIT, ROUNDING, CountedRun
from wattmark.analysis.parts.order import counts_in_turns
from wattmark.analysis.parts.pooled import ServerSlope, pooled
from wattmark.analysis.refusal import Refused
from wattmark.core.interval import Interval95

Array = NDArray[np.float64]
FEWEST = 3
"""Runs of one installation that show a slope and a scatter about it."""
ENOUGH_TO_POOL = 4
"""Installations whose slopes are pooled whether or not a test tells that they differ. By a test alone, intervals of
slopes that scatter by 3 % held the truth in 0.915 of 200 simulated campaigns with six installations."""
LEAST_SPREAD = 1.1
"""Highest over lowest rate of work of an installation: runs closer together are repeats of one level."""


@dataclass(frozen=True, slots=True)
class WorkedRun:
    """One run: its rate of work [unit/s], and its power with its errors [W]."""

    rate: float
    power: CountedRun


@dataclass(frozen=True, slots=True)
class TrafficSlope:
    """Watts for a unit of work per second over the runs of some installations [W s/unit]."""

    interval: Interval95
    runs: int
    installations: int
    turns: Turns
    """How the levels follow one another in time."""
    differs: bool
    """Whether the installations differ by more than their scatter: the interval is then that of their mean."""


@dataclass(frozen=True, slots=True)
class _Line:
    """The line through the runs of one installation."""

    slope: float
    sxx: float
    residual_squares: float
    free: int
    within_squares: float
    """Mean square of the runs' own scatter; 0 where that of one is not known."""
    shared: Mapping[str, float]

    @classmethod
    def of(cls, runs: Sequence[WorkedRun]) -> _Line:
        rate, power = np.array([run.rate for run in runs]), np.array([run.power.value for run in runs])
        from_mean, watts = rate - rate.mean(), power - power.mean()
        sxx = float(from_mean @ from_mean)
        weights = from_mean / sxx
        slope = float(weights @ watts)
        residual = watts - slope * from_mean
        squares = float(residual @ residual)
        own = [run.power.within for run in runs if run.power.within is not None]
        names = sorted({name for run in runs for name in run.power.shared})
        return cls(
            slope=slope,
            sxx=sxx,
            residual_squares=squares if squares > ROUNDING**2 * float(power @ power) else 0.0,
            free=len(runs) - 2,
            within_squares=float(np.mean(np.square(own))) if len(own) == len(runs) else 0.0,
            shared={name: _carried(name, runs, weights) for name in names},
        )


def traffic_slope(runs: Sequence[WorkedRun]) -> TrafficSlope:
    """Fit power over the rate of work by least squares, with a line of its own for each installation [W s/unit].

    Scatter is that about these lines, in all of them, and at least that within the runs. The slopes of four
    installations or more, and of fewer that differ by more than this scatter (F test at 5 %), are pooled as those of
    servers are. An error shared by runs acts as it does on the slope. Raises `Refused` where no installation ran three
    levels, and where the runs do not scatter.
    """
    by_installation: dict[tuple[int, str], list[WorkedRun]] = defaultdict(list)
    for run in runs:
        by_installation[run.power.count, run.power.installation].append(run)
    chosen = [of for of in by_installation.values() if len(of) >= FEWEST and _spread(of) >= LEAST_SPREAD]
    if not chosen:
        text = "Watts for traffic need runs at three bandwidths or more of one installation."
        raise Refused("few-levels", text)
    lines = [_Line.of(of) for of in chosen]
    used = [run for of in chosen for run in of]
    interval, differs = _combined(lines)
    turns = counts_in_turns([run.rate for run in used], [run.power.made_s for run in used])
    return TrafficSlope(
        interval=interval.complete_if(turns != "one after the other"),
        runs=len(used),
        installations=len(lines),
        turns=turns,
        differs=differs,
    )


def _combined(lines: Sequence[_Line]) -> tuple[Interval95, bool]:
    """Combine the slopes of the installations, and return whether they differ."""
    sxx, slopes = np.array([of.sxx for of in lines]), np.array([of.slope for of in lines])
    weights = sxx / sxx.sum()
    mean = float(weights @ slopes)
    free = sum(of.free for of in lines)
    variance = sum(of.residual_squares for of in lines) / free
    within = float(weights @ np.array([of.within_squares for of in lines]))
    if not max(variance, within) > 0:
        raise Refused("no-scatter", "The runs lie exactly on a line, so that their scatter is not known.")
    differ = _differ(float(sxx @ (slopes - mean) ** 2), len(lines) - 1, variance, free)
    if differ or len(lines) >= ENOUGH_TO_POOL:
        least = max(variance, within)
        own = [ServerSlope(of.slope, math.sqrt(least / of.sxx), of.shared) for of in lines]
        return pooled(own).mean, differ
    scatter = floored(math.sqrt(variance / float(sxx.sum())), float(free), math.sqrt(within / float(sxx.sum())))
    names = sorted({name for of in lines for name in of.shared})
    shared = [
        sum(weight * of.shared.get(name, 0.0) for weight, of in zip(weights.tolist(), lines, strict=True))
        for name in names
    ]
    u, dof = joined([scatter, *((abs(error), math.inf) for error in shared)])
    return Interval95.student(mean, student_factor(dof) * u, u, dof), False


def _differ(between: float, more: int, variance: float, free: int) -> bool:
    """Test by F whether slopes differ by more than the scatter about their lines."""
    if more < 1 or not variance > 0:
        return False
    return float(scipy.special.fdtrc(more, free, between / more / variance)) < LACK_OF_FIT


def _carried(name: str, runs: Sequence[WorkedRun], weights: Array) -> float:
    return float(weights @ np.array([run.power.shared.get(name, 0.0) for run in runs]))


def _spread(runs: Sequence[WorkedRun]) -> float:
    rates = [run.rate for run in runs]
    return max(rates) / min(rates)
