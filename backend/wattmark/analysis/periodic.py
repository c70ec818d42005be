"""A load that comes and goes in a rhythm: how far the mean of a window is from that of many whole periods."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
FEWEST_PERIODS = 4
"""Fewer periods in a window are no rhythm that it shows."""
MOST_OF_VARIANCE = 0.5
"""A rhythm holds at least this share of the variance in its line of the spectrum and the two beside it."""
FEWEST_BLOCKS = 8


def dominant_period(x: Array) -> int | None:
    """Find the period of a rhythm that rules the samples [samples]; None where there is none."""
    n = len(x)
    power = np.abs(np.fft.rfft(x - x.mean())) ** 2
    total = float(power[1:].sum())
    if n < 2 * FEWEST_PERIODS or total == 0:
        return None
    line = FEWEST_PERIODS + int(np.argmax(power[FEWEST_PERIODS:]))
    if float(power[line - 1 : line + 2].sum()) < MOST_OF_VARIANCE * total:
        return None
    return max(round(n / line), 1)


def rhythm_uncertainty(x: Array) -> tuple[float, float] | None:
    """Compute the standard uncertainty of the mean of a periodic process and its degrees of freedom; None without one.

    Means of whole periods scatter by what the rhythm is not; the window's last, incomplete period adds at most half of
    what a period swings up and down, as a rectangle.
    """
    period = dominant_period(x)
    if period is None or period < 2 or len(x) // period < FEWEST_BLOCKS:
        return None
    count = len(x) // period
    blocks = x[: count * period].reshape(count, period)
    rest = float(blocks.mean(axis=1).std(ddof=1)) / math.sqrt(count)
    course = np.cumsum(blocks.mean(axis=0) - x.mean())
    phase = float(np.ptp(course)) / 2 / len(x) / math.sqrt(3.0)
    return math.hypot(rest, phase), count - 1.0
