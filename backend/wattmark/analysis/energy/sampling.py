"""Sampling error: how far the mean of samples may be from the mean of the power between them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.energy.trace import NEARLY_COVERED, CleanTrace, dithered
from wattmark.analysis.verdict import Verdict

Array = NDArray[np.float64]
RULE = "aliasing"
UNCOVERED_LIMIT_PCT = 100 * NEARLY_COVERED
"""Share of time that readings on a grid may leave uncovered before a load of the same rhythm can hide in it."""
FEWEST_MOVES = 10
FEWEST_DIGITS = 3
"""Readings that move by fewer digits at a time are alike because of their last digit."""
FEW_REPEATS = 0.02
"""A smaller share of equal neighbours beyond chance is not looked at."""
SLOPE_SHARE = 1 / 6
"""Share of a variogram that grows in proportion to the lag which a line between samples leaves: a Brownian bridge of
variance rate 2 c errs by c T/6 in the mean of its cell."""


@dataclass(frozen=True, slots=True)
class SamplingError:
    """Standard uncertainty of the mean of samples as the mean of what was sampled [unit of the samples]."""

    u: float
    dof: float


def sampling_error(x: Array, uncovered_share: float, spread: float = 1.0) -> SamplingError:
    """Compute the error of the mean from the variogram of the samples at the first two lags.

    The part that is there at no distance at all (noise faster than the samples, by extrapolation to lag 0) averages as
    independent values do; the part that grows with the lag (jumps and slow swings) errs by a sixth of it, for samples
    on both sides of a cell are known. Samples that cover part of their cell bring the uncovered share of it. Steps of
    unequal length s bring ``spread``, mean(s^3)/mean(s)^3, of the second part: a jump falls into a long one more often
    and errs by its length there.
    Degrees of freedom are the number of differences that make the figure, by their fourth powers.
    """
    n = len(x)
    if n < 3 or uncovered_share <= 0:
        return SamplingError(0.0, math.inf)
    fast, slow = variogram_parts(x)
    if fast + slow == 0:
        return SamplingError(0.0, math.inf)
    variance = (fast + SLOPE_SHARE * spread * slow) * uncovered_share / n
    squares = np.diff(x) ** 2
    return SamplingError(math.sqrt(variance), max(float(squares.sum() ** 2 / (squares @ squares)) - 1, 1.0))


def repeated_share(x: Array, resolution: float | None) -> float:
    """Compute the share of readings that are the one before once more, beyond what their last digit makes alike [1].

    Normal differences of the median size m fall within one digit q of nothing by a chance of 0.27 q/m. A meter that
    gives a reading twice measured in between or did not: nothing tells, so it counts as time without a reading.
    """
    steps = np.abs(np.diff(x))
    moved = steps[steps > 0]
    if len(moved) < FEWEST_MOVES:
        return 0.0
    digit = float(moved.min()) if resolution is None else resolution
    median = float(np.median(moved))
    share = 1 - len(moved) / len(steps)
    if median < FEWEST_DIGITS * digit or share <= 2 * 0.27 * digit / median + FEW_REPEATS:
        return 0.0
    return share


def variogram_parts(x: Array) -> tuple[float, float]:
    """Split half the mean square of differences between neighbours: (there at no distance at all, grown with the lag).

    The first is the variogram at the first two lags carried on to lag 0 (Matheron's nugget) [unit of x, squared].
    """
    gamma_1, gamma_2 = float(np.mean(np.diff(x) ** 2)) / 2, float(np.mean((x[2:] - x[:-2]) ** 2)) / 2
    nugget = min(max(2 * gamma_1 - gamma_2, 0.0), gamma_1)
    return nugget, gamma_1 - nugget


def aliasing(trace: CleanTrace, duration_s: float) -> Verdict | None:
    """Return whether a load in step with the readings could hide between them; None for readings that cover all of it.

    Readings on a grid that leave time uncovered see a load of the same rhythm at one phase only, and nothing in them
    tells. Polls at a random place of each cell see all phases: then it is scatter, which the budget holds.
    """
    meter = trace.instrument
    uncovered_pct = 100 * trace.uncovered_share
    if uncovered_pct == 0:
        return None
    t_s = trace.t_s[trace.inside(duration_s)]
    if dithered(t_s, trace.period_s):
        text = f"{meter.name} was read at random instants, so that a load in step with the readings shows as scatter."
        return Verdict(RULE, uncovered_pct, None, "%", "pass", text)
    passed = uncovered_pct <= UNCOVERED_LIMIT_PCT
    text = f"Readings of {meter.name} every {trace.interval_s:.3g} s leave {uncovered_pct:.3g} % of the time uncovered."
    if not passed:
        text = (
            f"{text} A load in step with them would be seen at one phase only. Read the meter as often as it updates, "
            "or at random instants."
        )
    return Verdict(RULE, uncovered_pct, UNCOVERED_LIMIT_PCT, "%", "pass" if passed else "fail", text)
