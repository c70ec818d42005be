"""Energy by kind of meter; the bias table of method 1; gaps and registers."""

from dataclasses import replace

import numpy as np
import pytest
from wattmark.analysis.energy.energy import losses, window_energy
from wattmark.analysis.energy.trace import clean
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits

LIMITS = Limits()


@pytest.fixture
def energy(make_trace, make_window):
    def compute(t_s, value, duration_s=100.0, limits=LIMITS, **instrument):
        return window_energy(clean(make_trace(t_s, value, **instrument), make_window(duration_s)), limits)

    return compute


def bias_pct(energy, measured, integrated, trials=400):
    """Mean bias of one integration over one kind of reading: steps of 60 W, 1 Hz, stamps jitter by 1.2 % [%]."""
    rng = np.random.default_rng(5)
    errors_pct = []
    for _ in range(trials):
        edges = np.sort(rng.uniform(5, 95, 3))
        knots, level = np.concatenate(([-50.0], edges, [150.0])), np.array([150.0, 210.0, 150.0, 210.0])

        def total(t, knots=knots, level=level):
            widths = np.clip(np.subtract.outer(t, knots[:-1]), 0, np.diff(knots))
            return widths @ level

        t = np.arange(-5.0, 106.0) + rng.uniform(0, 1) + rng.normal(0, 0.012, 111)
        if measured == "averaged":
            t, value = t[1:], np.diff(total(t)) / np.diff(t)
        else:
            value = level[np.searchsorted(knots, t) - 1]
        truth = float(np.diff(total(np.array([0.0, 100.0])))[0])
        errors_pct.append(100 * (energy(t, value, kind=integrated).energy_j / truth - 1))
    return float(np.mean(errors_pct))


@pytest.mark.parametrize(
    ("measured", "integrated", "expected_pct", "tolerance_pct"),
    [
        ("averaged", "averaged", 0.004, 0.01),
        ("averaged", "instantaneous", -0.161, 0.015),
        ("instantaneous", "averaged", 0.179, 0.04),
        ("instantaneous", "instantaneous", 0.009, 0.04),
    ],
)
def test_bias_by_kind(energy, measured, integrated, expected_pct, tolerance_pct):
    """method 1: backward hold is right for averages, the trapezoid for instantaneous values, and not crosswise."""
    assert bias_pct(energy, measured, integrated) == pytest.approx(expected_pct, abs=tolerance_pct)


def test_averages_are_clipped_to_the_window(energy):
    """Cells end at the stamp: 100 W until 0.5 s, 200 W until 1.5 s, ...; window 0..2 s."""
    integral = energy([0.5, 1.5, 2.5], [100, 200, 300], 2.0)
    assert integral.energy_j == pytest.approx(0.5 * 100 + 1.0 * 200 + 0.5 * 300)


def test_instantaneous_values_are_interpolated_at_the_edges(energy):
    integral = energy([-0.5, 0.5, 1.5, 2.5], [100, 200, 300, 400], 2.0, kind="instantaneous")
    assert integral.energy_j == pytest.approx(2 * 250)


def test_latency_shifts_the_stamps(energy):
    """A meter 1 s late reports the second 0..1 at 2 s."""
    t = np.arange(-5.0, 110.0)
    value = np.where((t > 1) & (t <= 101), 250.0, 150.0)
    assert energy(t, value, latency_s=1.0).energy_j == pytest.approx(25_000)
    assert energy(t, value, latency_s=0.0).energy_j == pytest.approx(24_900)


def test_one_lost_sample_is_bounded_by_the_range(energy):
    """The cell may have held anything from nothing to 600 W: up to 350 J more and 250 J less than was seen."""
    t = np.delete(np.arange(-2.0, 203.0), 50)
    integral = energy(t, np.full(len(t), 250.0), 200.0, range_w=600.0)
    assert (integral.losses.gaps, integral.losses.silent_s) == (1, pytest.approx(1.0))
    assert integral.energy_j == pytest.approx(50_000)
    assert (integral.low_j, integral.high_j) == (pytest.approx(50_000 - 250), pytest.approx(50_000 + 350))
    assert integral.farthest_j == pytest.approx(350)


def test_single_readings_that_are_lost_here_and_there_are_no_single_gap(make_trace, make_window):
    """Every tenth reading of 240 was no number: 24 gaps of a second, though the steps scatter as at random times."""
    t = np.arange(-2.0, 243.0)
    trace = make_trace(t, np.where(t % 10 == 3, -1.0, 250.0), range_w=600.0)
    lost = losses(clean(trace, make_window(240.0)), LIMITS)
    assert lost.invalid_s == pytest.approx(24, abs=1)
    assert lost.gaps == pytest.approx(24, abs=1)


def test_without_a_range_silence_may_hide_the_highest_reading(energy):
    """Seven seconds of 1000 are missing; 260 W is the most that was seen anywhere."""
    t = np.delete(np.arange(-2.0, 1003.0), np.arange(500, 507))
    value = np.where(t > 500, 260.0, 240.0)
    integral = energy(t, value, 1000.0)
    assert (integral.losses.gaps, integral.losses.lost_s) == (1, pytest.approx(7.0))
    assert integral.high_j - integral.low_j == pytest.approx(7 * 260.0)
    assert integral.low_j < integral.energy_j < integral.high_j


def test_readings_that_were_no_numbers_are_bounded_by_the_range_or_by_nothing(energy):
    t = np.arange(-2.0, 203.0)
    value = np.where(t == 50, -1.0, 250.0)
    assert energy(t, value, 200.0, range_w=600.0).high_j == pytest.approx(50_000 + 350)
    unbounded = energy(t, value, 200.0)
    assert unbounded.losses.invalid_s == pytest.approx(1.0)
    assert unbounded.high_j is unbounded.farthest_j is None


def test_over_range_is_bounded_from_below_too(make_trace, make_window):
    """Beyond 600 W the truth lies between the highest good reading and 1.4 times the range."""
    t = np.arange(-2.0, 203.0)
    trace = replace(make_trace(t, np.where(t == 50, 600.0, 250.0), range_w=600.0), over_range=t == 50)
    integral = window_energy(clean(trace, make_window(200.0)), LIMITS)
    assert integral.losses.over_range_s == pytest.approx(1.0)
    assert integral.low_j == pytest.approx(50_000)
    assert integral.high_j == pytest.approx(50_000 + 1.4 * 600 - 250)


@pytest.mark.parametrize("step", [2, 4])
def test_regular_loss_does_not_redefine_the_period(energy, step):
    """Every second reading is missing: half of the window was not measured, and no rhythm of 2 s makes that good."""
    t = np.arange(-4.0, 605.0, step)
    with pytest.raises(Refused, match=f"declare the period of {step} s that the meter really keeps"):
        energy(t, np.full(len(t), 250.0), 600.0)


@pytest.mark.parametrize("sd_s", [0.1, 0.3])
def test_jitter_of_stamps_loses_nothing(energy, sd_s):
    rng = np.random.default_rng(8)
    t = np.sort(np.arange(-5.0, 606.0) + np.clip(rng.normal(0, sd_s, 611), -0.49, 0.49))
    assert energy(t, np.full(len(t), 250.0), 600.0).losses.lost_s <= 1.0


def test_polls_at_random_places_of_their_cells_lose_nothing(energy):
    rng = np.random.default_rng(8)
    for _ in range(20):
        t = np.arange(-5.0, 606.0) + rng.uniform(0, 1, 611)
        assert energy(t, np.full(611, 250.0), 600.0, kind="instantaneous").losses.lost_s <= 1.0
        fewer = energy(np.delete(t, [100, 300, 301]), np.full(608, 250.0), 600.0, kind="instantaneous")
        assert 2.0 <= fewer.losses.lost_s <= 4.0, "three, but for a poll beyond either edge"


def test_one_reading_may_always_be_missing(energy):
    """One of 60 is more than 1 %: the bounds hold what it may have been."""
    t = np.delete(np.arange(-2.0, 63.0), 30)
    assert energy(t, np.full(len(t), 250.0), 60.0, range_w=600.0).farthest_j == pytest.approx(350)
    with pytest.raises(Refused):
        energy(np.delete(t, 40), np.full(len(t) - 1, 250.0), 60.0)


def test_gaps_beyond_one_percent_are_refused(energy):
    t = np.delete(np.arange(-2.0, 103.0), np.arange(50, 57))
    with pytest.raises(Refused, match="no good reading for 7 s of 100 s") as refusal:
        energy(t, np.full(len(t), 250.0))
    assert refusal.value.reason == "gaps"


def test_limit_of_gaps_is_configurable(energy):
    t = np.delete(np.arange(-2.0, 103.0), np.arange(50, 57))
    assert energy(t, np.full(len(t), 250.0), limits=Limits(gap_share_pct=10)).energy_j == pytest.approx(25_000)


@pytest.mark.parametrize(("first", "last"), [(5, 105), (-2, 95)])
def test_missing_edge_is_a_gap(energy, first, last):
    t = np.arange(float(first), float(last))
    with pytest.raises(Refused, match="no good reading"):
        energy(t, np.full(len(t), 250.0))


def test_last_value_is_held_to_the_edge(energy):
    t = np.arange(-2.0, 99.6)
    assert energy(t, np.full(len(t), 250.0)).energy_j == pytest.approx(25_000)


def test_register_is_subtracted(energy):
    """250 W for 600 s are 41.667 Wh."""
    t = np.arange(-10.0, 611.0, 10)
    integral = energy(t, 1000 + 250 * t / 3600, 600.0, kind="counter", unit="Wh", resolution=0.1)
    assert integral.energy_j == pytest.approx(150_000)
    assert integral.u_energy_j == pytest.approx(147, abs=0.1)


def test_a_coarse_register_is_as_good_as_the_instants_at_which_it_moves(energy):
    """1 Wh, read every second: at 245 W it moves every 14.7 s, and then it is late by less than one reading."""
    t = np.arange(-30.0, 631.0)
    integral = energy(t, np.floor(245 * (t + 30.4) / 3600), 600.0, kind="counter", unit="Wh", resolution=1.0)
    assert integral.u_energy_j == pytest.approx(245 * np.sqrt(2) / np.sqrt(12), rel=0.03)
    assert integral.energy_j == pytest.approx(245 * 600, abs=2 * integral.u_energy_j)
    assert integral.cells_s == (pytest.approx(14.7, abs=1), pytest.approx(14.7, abs=1))


def test_a_register_that_moves_by_several_digits_at_a_time_keeps_its_digit(energy):
    """Updated every 10 s to 0.1 Wh, moves of 0.6 and 0.7 Wh: one step and one second of 250 W at either edge."""
    t = np.arange(-29.6, 631.0)
    count = np.floor(250 * np.floor((t + 30) / 10) * 10 / 3600 / 0.1) * 0.1
    integral = energy(t, count, 600.0, kind="counter", unit="Wh", resolution=0.01)
    assert integral.u_energy_j == pytest.approx(np.hypot(360, 250) / np.sqrt(6), rel=0.01)


def test_a_register_that_moves_every_ten_seconds_is_read_when_it_does(energy):
    t = np.arange(-30.0, 631.0)
    count = 250 * (np.floor((t + 30) / 10) * 10) / 3600
    assert energy(t, count, 600.0, kind="counter", unit="Wh", resolution=1e-6).energy_j == pytest.approx(150_000)


def test_register_that_runs_backwards_is_refused(energy):
    t = np.arange(-10.0, 611.0, 10)
    value = 250 * (t + 10) / 3600
    with pytest.raises(Refused, match="ran backwards"):
        energy(t, np.where(t > 300, value - 20, value), 600.0, kind="counter", unit="Wh")


def test_register_must_be_read_on_both_sides(energy):
    t = np.arange(10.0, 611.0, 10)
    with pytest.raises(Refused, match="before and after"):
        energy(t, 250 * t / 3600, 600.0, kind="counter", unit="Wh")
