"""A BMC of known gain, offset and lag beside a wall meter: the truth lies inside the intervals as often as promised."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from wattmark.analysis.clocks.common_blocks import PowerTrace
from wattmark.analysis.clocks.cross_calibration import CrossCalibration, cross_calibrate
from wattmark.analysis.clocks.lag import find_lag
from wattmark.analysis.refusal import Refused

Array = NDArray[np.float64]
GAIN, OFFSET_W, LAG_S = 0.97, 4.0, 1.7
LEVELS_W = (120.0, 300.0, 210.0, 340.0, 160.0, 260.0, 120.0, 300.0)
TICK_S = 0.05


def load(seconds: int, settle_s: float, levels_w: tuple[float, ...] = LEVELS_W) -> tuple[Array, Array]:
    """Steps between levels, each settling exponentially; gives time and the integral of power [J]."""
    t_s = np.arange(-100, seconds + 100, TICK_S)
    steps = np.clip(t_s, 0, seconds - 1e-9) / seconds * len(levels_w)
    target = np.array(levels_w)[steps.astype(int)]
    power = target.copy()
    keep = np.exp(-TICK_S / settle_s)
    for k in range(1, len(power)):
        power[k] = keep * power[k - 1] + (1 - keep) * target[k]
    return t_s, np.concatenate([[0.0], np.cumsum(power) * TICK_S])[:-1]


LOAD = load(600, 1.0)


def record(
    seed: int,
    *,
    noise_w: float = 1.0,
    step_w: float = 1.0,
    shape: Callable[[Array], Array] = lambda watts: watts,
    source: tuple[Array, Array] = LOAD,
    seconds: int = 600,
) -> tuple[PowerTrace, PowerTrace]:
    """Sample the load by both instruments at 1 Hz, each a mean over its last second; the BMC late, scaled, rounded."""
    rng = np.random.default_rng(seed)
    t_s, joules = source

    def mean(stamps: Array) -> Array:
        return np.interp(stamps, t_s, joules) - np.interp(stamps - 1.0, t_s, joules)

    t_wall = np.arange(seconds) + rng.uniform() + rng.normal(0, 0.002, seconds)
    t_bmc = np.arange(seconds) + rng.uniform() + rng.normal(0, 0.01, seconds)
    wall = np.round(mean(t_wall) + rng.normal(0, 0.3, seconds), 1)
    bmc = shape((mean(t_bmc - LAG_S) - OFFSET_W) / GAIN) + rng.normal(0, noise_w, seconds)
    return PowerTrace(t_wall, wall, 0.1), PowerTrace(t_bmc, np.round(bmc / step_w) * step_w, step_w)


def inside(calibration: CrossCalibration) -> list[bool]:
    return [
        abs(calibration.line.slope - GAIN) <= calibration.gain_U95,
        abs(calibration.line.intercept - OFFSET_W) <= calibration.offset_U95_w,
        abs(calibration.lag.value_s - LAG_S) <= calibration.lag_U95_s,
    ]


@pytest.mark.parametrize("noise_w", [1.0, 3.0])
def test_the_truth_lies_in_95_of_100_intervals(noise_w: float) -> None:
    """50 recordings: 95 % means 47.5, with a standard deviation of 1.5; three of them leave 43 to 50."""
    hits = np.sum([inside(cross_calibrate(*record(seed, noise_w=noise_w))) for seed in range(50)], axis=0)
    assert (hits >= 43).all(), hits


def test_intervals_are_not_padded() -> None:
    """The half widths of gain and offset are near 2 standard deviations of what the fits really scatter."""
    calibrations = [cross_calibrate(*record(seed)) for seed in range(40)]
    scatter = np.std([[calibration.line.slope, calibration.line.intercept] for calibration in calibrations], axis=0)
    claimed = np.mean([[calibration.gain_U95, calibration.offset_U95_w] for calibration in calibrations], axis=0) / 2
    assert (claimed < 1.5 * scatter).all()


def test_rounding_that_nothing_dithers_is_part_of_the_interval() -> None:
    """A silent BMC errs by the same half watt at a level each time: more samples must not shrink the interval."""
    for seed in range(10):
        assert all(inside(cross_calibrate(*record(seed, noise_w=0.05)))[:2])


def test_a_good_recording_passes_its_rules() -> None:
    calibration = cross_calibrate(*record(1))
    assert calibration.good
    assert {verdict.rule: verdict.outcome for verdict in calibration.verdicts} == {
        "span": "pass",
        "correlation": "pass",
        "residual": "pass",
        "scatter": "pass",
        "linear": "pass",
    }
    assert calibration.low_w == pytest.approx((120 - OFFSET_W) / GAIN, abs=1.5)
    assert calibration.high_w == pytest.approx((340 - OFFSET_W) / GAIN, abs=1.5)


def test_a_bmc_that_is_not_linear_is_found() -> None:
    def bent(watts: Array) -> Array:
        return watts * (1 + 0.08 * ((watts - 230) / 110) ** 2)

    calibration = cross_calibrate(*record(1, shape=bent))
    assert not calibration.good
    assert {v.rule for v in calibration.verdicts if v.outcome == "fail"} >= {"linear", "scatter"}


def test_a_negative_lag_is_found_too() -> None:
    wall, bmc = record(3)
    lag = find_lag(bmc.t_s, bmc.power_w, wall.t_s, wall.power_w)
    assert lag.value_s == pytest.approx(-LAG_S, abs=3 * lag.u_s)


def test_a_load_that_stays_gives_no_gain() -> None:
    with pytest.raises(Refused, match=r"are not correlated|changed by"):
        cross_calibrate(*record(1, source=load(600, 1.0, (200.0,))))


def test_another_server_s_meter_is_refused() -> None:
    wall, _ = record(1)
    _, other = record(2, source=load(600, 1.0, (*LEVELS_W[4::-1], 140.0, 320.0)))
    with pytest.raises(Refused, match="not correlated"):
        cross_calibrate(wall, other)


def test_a_bmc_that_shows_two_values_cannot_tell_a_line() -> None:
    with pytest.raises(Refused, match="load levels"):
        cross_calibrate(*record(1, noise_w=0.0, source=load(600, 0.1, (120.0, 300.0) * 4)))


@pytest.mark.parametrize("seconds", [0, 1, 5, 30])
def test_a_short_recording_is_refused(seconds: int) -> None:
    with pytest.raises(Refused, match=r"too short|segments|not correlated"):
        cross_calibrate(*record(1, seconds=seconds, source=load(max(seconds, 1), 1.0)))
