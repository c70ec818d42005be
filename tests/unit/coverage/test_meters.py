"""Simulated meters report what their definition says."""

from dataclasses import replace

import numpy as np
import pytest
from wattmark_drivers.reading import Quality

from tests.coverage import meters as at
from tests.coverage import signals as of
from tests.coverage.meters import Meter, Register

EXACT = Meter(curve_w=lambda power_w: 0 * power_w, resolution=None)
BUSY = of.constant(250.0) + of.square(60.0, 7.3, 1.0)


def read(meter, power=BUSY, duration_s=60.0, seed=1):
    return meter.read(np.random.default_rng(seed), power, duration_s)


def test_averaging_meter_loses_no_energy():
    readings = read(EXACT)
    t_s = readings.t_s
    assert readings.value.sum() == pytest.approx(float(np.diff(BUSY.energy_j(t_s[[0, -1]] - [1.0, 0.0]))[0]))


def test_late_meter_shows_what_was():
    step = of.step(10.0, 100.0)
    early, late = (read(replace(EXACT, kind="instantaneous", late_s=lambda rng, s=s: s), step) for s in (0.0, 2.5))
    assert np.flatnonzero(late.value)[0] - np.flatnonzero(early.value)[0] in (2, 3)


def test_error_is_drawn_within_the_limit_and_fills_it():
    shown_w = [
        read(Meter(resolution=None).drawn(np.random.default_rng(seed)), of.constant(250.0)).value[0]
        for seed in range(400)
    ]
    errors_w = np.array(shown_w) - 250.0
    assert np.abs(errors_w).max() <= 0.55
    assert errors_w.std() == pytest.approx(0.55 / 3**0.5, rel=0.1)


def test_register_counts_energy_in_its_steps():
    meter = replace(EXACT, kind="counter", register=Register(resolution_wh=0.1))
    readings = read(meter, of.constant(360.0))
    assert np.diff(readings.value) == pytest.approx(np.full(len(readings.value) - 1, 0.1), abs=0.1 + 1e-9)
    assert readings.value[60] - readings.value[0] == pytest.approx(6.0, abs=0.1 + 1e-9)


def test_register_begins_again_at_zero():
    register = Register(resolution_wh=0.1, start_wh=0.5, wraps_at_wh=1.0)
    value = register.read(np.arange(0.0, 20.0), of.constant(360.0).energy_j)
    assert value.max() < 1.0
    assert (np.diff(value) < 0).sum() >= 2


@pytest.mark.parametrize(
    ("spoil", "flag"),
    [
        (at.invalid_above(280.0), Quality.INVALID),
        (at.clipped_above(280.0), Quality.OVER_RANGE),
        (at.frozen(10.0, flagged=True), Quality.STALE),
    ],
)
def test_flags(spoil, flag):
    readings = read(replace(EXACT, spoil=(spoil,)))
    flagged = (readings.quality & int(flag)) != 0
    assert 0 < flagged.sum() < len(flagged)


def test_every_second_reading_is_lost():
    assert np.diff(read(replace(EXACT, spoil=(at.lose_every_second,))).t_s) == pytest.approx(2.0)
