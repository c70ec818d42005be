"""Periodic loads: how far the mean of a window lies from the mean of many whole periods."""

import numpy as np
import pytest
from wattmark.analysis.energy.type_a import dominant_period, rhythm_uncertainty, type_a
from wattmark_calibration import coverage_factor

FINE = 50


def averaged_square(rng, period_s, n=240):
    """Means of whole seconds of a square of 190 and 310 W, which begins anywhere in its period."""
    t_s = np.arange(n * FINE) / FINE + rng.uniform(0, period_s)
    return (250 + 60 * np.where((t_s / period_s) % 1 < 0.5, 1, -1)).reshape(n, FINE).mean(axis=1)


@pytest.mark.parametrize("period_s", [5.0, 7.3, 13.7, 20.0])
def test_the_process_of_a_square_load_is_bounded_by_its_last_period(period_s):
    rng, inside, widths, errors = np.random.default_rng(1), [], [], []
    for _ in range(100):
        estimate = type_a(averaged_square(rng, period_s) + rng.normal(0, 0.5, 240))
        widths.append(coverage_factor(estimate.dof) * estimate.u)
        errors.append(abs(estimate.mean - 250))
        inside.append(errors[-1] <= widths[-1])
    assert np.mean(inside) >= 0.93
    assert np.mean(widths) < 60 * period_s / 240, "half a period of the full swing is twice the worst case"


@pytest.mark.parametrize("period_s", [5, 8, 20])
def test_the_period_is_found(period_s):
    x = averaged_square(np.random.default_rng(2), float(period_s))
    assert dominant_period(x) == pytest.approx(period_s, abs=1)


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_noise_has_no_rhythm(phi):
    rng, detections = np.random.default_rng(3), 0
    for _ in range(200):
        x = np.zeros(240)
        for k, e in enumerate(rng.normal(size=240)):
            x[k] = phi * x[k - 1] + e
        detections += rhythm_uncertainty(x) is not None
    assert detections <= 2


def test_three_periods_are_no_rhythm():
    assert dominant_period(np.sin(2 * np.pi * np.arange(240) / 80)) is None
