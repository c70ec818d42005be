"""The intervals of a cross-calibration on recordings that its limits were not chosen on.

Other physics than in `test_cross_calibration`: the load wanders at random with jumps of random size at random moments;
the BMC shows whole watts, means over seconds with heavy-tailed noise every 2 s; the wall meter errs in proportion; both
clocks jitter.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from wattmark.analysis.clocks.common_blocks import PowerTrace
from wattmark.analysis.clocks.cross_calibration import CrossCalibration, cross_calibrate

Array = NDArray[np.float64]
GAIN, OFFSET_W, LAG_S = 0.94, 6.0, 2.3
TICK_S, SECONDS = 0.05, 900
LOWEST_W, SPAN_W = 105.0, 275.0


def wandering_joules(rng: np.random.Generator) -> tuple[Array, Array]:
    """A random walk between 105 and 380 W, thrown back at both ends, with a job about every 25 s; its integral [J]."""
    t_s = np.arange(-100, SECONDS + 100, TICK_S)
    walk = np.cumsum(rng.normal(0, 0.175, len(t_s)))
    begins = np.cumsum(rng.exponential(25, len(t_s) // 100)) - 100
    jobs = rng.uniform(0, 220, len(begins) + 1)[np.searchsorted(begins, t_s)]
    folded = np.abs((10 + jobs + walk - walk.mean()) % (2 * SPAN_W))
    power = LOWEST_W + np.where(folded > SPAN_W, 2 * SPAN_W - folded, folded)
    return t_s, np.concatenate([[0.0], np.cumsum(power) * TICK_S])[:-1]


def record(seed: int, window_s: float) -> tuple[PowerTrace, PowerTrace]:
    """Record both; the lag is between the middles of what they average over, beside half the wall meter's second."""
    rng = np.random.default_rng([2026, seed])
    t_s, joules = wandering_joules(rng)

    def mean(until: Array, over_s: float) -> Array:
        return (np.interp(until, t_s, joules) - np.interp(until - over_s, t_s, joules)) / over_s

    t_wall, t_bmc = np.cumsum(rng.gamma(100, 0.01, SECONDS)), np.cumsum(rng.gamma(400, 0.005, SECONDS // 2))
    wall = mean(t_wall, 1.0) * (1 + rng.laplace(0, 0.0007, len(t_wall)))
    seen = mean(t_bmc - LAG_S + (window_s - 1) / 2, window_s)
    bmc = (seen - OFFSET_W) / GAIN + 0.8 * rng.standard_t(5, len(t_bmc))
    return PowerTrace(t_wall, np.round(wall, 1), 0.1), PowerTrace(t_bmc, np.round(bmc), 1.0)


def inside(calibration: CrossCalibration) -> list[bool]:
    return [
        abs(calibration.line.slope - GAIN) <= calibration.gain_U95,
        abs(calibration.line.intercept - OFFSET_W) <= calibration.offset_U95_w,
        abs(calibration.lag.value_s - LAG_S) <= calibration.lag_U95_s,
    ]


@pytest.mark.parametrize("window_s", [1.0, 4.0, 8.0])
def test_the_truth_lies_in_at_least_95_of_100_intervals(window_s: float) -> None:
    """40 recordings: 95 % means 38, with a standard deviation of 1.4; three of them leave 34."""
    hits = np.sum([inside(cross_calibrate(*record(seed, window_s))) for seed in range(40)], axis=0)
    assert (hits >= 34).all(), hits


def test_the_intervals_still_tell_something() -> None:
    """Wider than they had to be where the load never rests, but of use: gain within 1 %, lag within 1 s."""
    calibrations = [cross_calibrate(*record(seed, 4.0)) for seed in range(10)]
    assert np.median([calibration.gain_U95 for calibration in calibrations]) < 0.01
    assert np.median([calibration.lag_U95_s for calibration in calibrations]) < 1.0
