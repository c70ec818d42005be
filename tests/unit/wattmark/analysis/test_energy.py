"""Energy by kind of meter; the bias table of method 1; gaps and registers."""

import numpy as np
import pytest
from wattmark.analysis.energy import window_energy
from wattmark.analysis.limits import Limits
from wattmark.analysis.refusal import Refused
from wattmark.analysis.trace import clean

LIMITS = Limits()


@pytest.fixture
def energy(make_trace, begin_ns):
    def compute(t_s, value, duration_s=100.0, limits=LIMITS, **instrument):
        trace = clean(make_trace(t_s, value, **instrument), begin_ns, shift=True)
        return window_energy(trace, duration_s, limits)

    return compute


def bias_pct(energy, measured, integrated, trials=400):
    """Mean bias of one integration over one kind of reading: steps of 60 W, 1 Hz, stamps jitter by 1.2 % [%]."""
    rng = np.random.default_rng(5)
    found = []
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
        found.append(100 * (energy(t, value, kind=integrated).energy_j / truth - 1))
    return float(np.mean(found))


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
    found = energy([0.5, 1.5, 2.5], [100, 200, 300], 2.0)
    assert found.energy_j == pytest.approx(0.5 * 100 + 1.0 * 200 + 0.5 * 300)


def test_instantaneous_values_are_interpolated_at_the_edges(energy):
    found = energy([-0.5, 0.5, 1.5, 2.5], [100, 200, 300, 400], 2.0, kind="instantaneous")
    assert found.energy_j == pytest.approx(2 * 250)


def test_latency_shifts_the_stamps(energy):
    """A meter 1 s late reports the second 0..1 at 2 s."""
    t = np.arange(-5.0, 110.0)
    value = np.where((t > 1) & (t <= 101), 250.0, 150.0)
    assert energy(t, value, latency_s=1.0).energy_j == pytest.approx(25_000)
    assert energy(t, value, latency_s=0.0).energy_j == pytest.approx(24_900)


def test_one_lost_sample_is_no_gap(energy):
    t = np.delete(np.arange(-2.0, 103.0), 50)
    found = energy(t, np.full(len(t), 250.0))
    assert (found.gaps, found.gap_s) == (0, 0.0)
    assert found.energy_j == pytest.approx(25_000)


def test_short_gap_is_flagged_and_bridged(energy):
    t = np.delete(np.arange(-2.0, 603.0), [50, 51, 52])
    found = energy(t, np.full(len(t), 250.0), 600.0)
    assert (found.gaps, found.gap_s) == (1, pytest.approx(3.0))
    assert found.low_j == found.high_j == pytest.approx(found.energy_j)


def test_long_gap_is_not_bridged_but_bounded(energy):
    """Seven seconds of 1000 are missing; what is left out is bounded by the lowest and highest power seen."""
    t = np.delete(np.arange(-2.0, 1003.0), np.arange(500, 507))
    value = np.where(t > 500, 260.0, 240.0)
    found = energy(t, value, 1000.0)
    assert (found.gaps, found.gap_s) == (1, pytest.approx(7.0))
    assert found.high_j - found.low_j == pytest.approx(7 * 20.0)
    assert found.low_j < found.energy_j < found.high_j


def test_gaps_beyond_one_percent_are_refused(energy):
    t = np.delete(np.arange(-2.0, 103.0), np.arange(50, 57))
    with pytest.raises(Refused, match="silent for 7 s of 100 s") as refusal:
        energy(t, np.full(len(t), 250.0))
    assert refusal.value.reason == "gaps"


def test_limit_of_gaps_is_configurable(energy):
    t = np.delete(np.arange(-2.0, 103.0), np.arange(50, 57))
    assert energy(t, np.full(len(t), 250.0), limits=Limits(gap_share_pct=10)).energy_j == pytest.approx(25_000)


@pytest.mark.parametrize(("first", "last"), [(5, 105), (-2, 95)])
def test_missing_edge_is_a_gap(energy, first, last):
    t = np.arange(float(first), float(last))
    with pytest.raises(Refused, match="silent"):
        energy(t, np.full(len(t), 250.0))


def test_last_value_is_held_to_the_edge(energy):
    t = np.arange(-2.0, 99.6)
    assert energy(t, np.full(len(t), 250.0)).energy_j == pytest.approx(25_000)


def test_register_is_subtracted(energy):
    """250 W for 600 s are 41.667 Wh."""
    t = np.arange(-10.0, 611.0, 10)
    found = energy(t, 1000 + 250 * t / 3600, 600.0, kind="counter", unit="Wh", resolution=0.1)
    assert found.energy_j == pytest.approx(150_000)
    assert found.u_energy_j == pytest.approx(147, abs=0.1)


def test_coarse_register_is_refused(energy):
    """method 1: 1 Wh is 1.0 % of 600 s at 245 W, beyond 0.5 %."""
    t = np.arange(-10.0, 611.0, 10)
    with pytest.raises(Refused, match="too coarse"):
        energy(t, np.floor(245 * (t + 10) / 3600), 600.0, kind="counter", unit="Wh", resolution=1.0)


def test_register_that_runs_backwards_is_refused(energy):
    t = np.arange(-10.0, 611.0, 10)
    value = 250 * (t + 10) / 3600
    with pytest.raises(Refused, match="ran backwards"):
        energy(t, np.where(t > 300, value - 20, value), 600.0, kind="counter", unit="Wh")


def test_register_must_be_read_on_both_sides(energy):
    t = np.arange(10.0, 611.0, 10)
    with pytest.raises(Refused, match="before and after"):
        energy(t, 250 * t / 3600, 600.0, kind="counter", unit="Wh")
