"""Simulated campaigns: 95 % intervals hold the truth in 93 to 97 % of them (issue's acceptance; JCGM 101, 9.4).

Every campaign draws meters, noise and calibrations anew and asks the product for its interval. The seeds are fixed,
so that a change is judged by what it changed; the trials make the figure good to 0.006 (one standard deviation).
"""

import math

import numpy as np
import pytest
import scipy
from wattmark.analysis.comparison.comparison import Observation, absolute, ratio, system
from wattmark.analysis.comparison.ranking import compare_all
from wattmark.analysis.comparison.repeats import repeat_mean
from wattmark.analysis.energy.power import analyse_power
from wattmark.analysis.energy.type_a import type_a
from wattmark.analysis.verdict import Limits
from wattmark_calibration import (
    CalibratedRange,
    CommonUncertainty,
    Contribution,
    Point,
    Specification,
    UncertainValue,
    coverage_factor,
    drift_contribution,
    fit_model,
)

LOW, HIGH = 0.93, 0.97
POWER_W = 245.0
WT310E = Specification(reading_pct=0.1, range_pct=0.05, source="IM WT310E-02EN p. 7-7")


def ar1(rng, phi, n, trials=1):
    """Draw first-order noise of unit standard deviation, stationary from the first sample on."""
    noise = rng.normal(size=(trials, n)) * math.sqrt(1 - phi * phi)
    noise[:, 0] /= math.sqrt(1 - phi * phi)
    return scipy.signal.lfilter([1], [1, -phi], noise, axis=1)


@pytest.mark.parametrize(
    ("phi", "n"),
    [(0.0, 60), (0.0, 900), (0.3, 60), (0.6, 240), (0.8, 240), (0.8, 900), (0.95, 900)],
)
def test_mean_of_noise(phi, n):
    """White and first-order noise with 20 or more independent samples (method 2.1 refuses fewer than ten)."""
    series = ar1(np.random.default_rng(5), phi, n, 1200)
    estimates = [type_a(x) for x in series]
    inside = [abs(estimate.mean) <= coverage_factor(estimate.dof) * estimate.u for estimate in estimates]
    assert LOW <= np.mean(inside) <= HIGH


@pytest.mark.parametrize("drift", [0.5, 1.0, 2.0])
def test_drift_inside_the_window(drift):
    """A straight drift of 0.5 to 2 times the noise: the mean power of the window is measured all the same."""
    rng, t = np.random.default_rng(2026), np.linspace(-0.5, 0.5, 240)
    estimates = [type_a(drift * t + noise) for noise in rng.normal(size=(1500, 240))]
    inside = [abs(estimate.mean) <= coverage_factor(estimate.dof) * estimate.u for estimate in estimates]
    assert LOW <= np.mean(inside) <= HIGH


@pytest.mark.parametrize(("phi", "noise_w"), [(0.0, 0.5), (0.0, 4.0), (0.8, 0.5), (0.8, 1.5)])
def test_specification_route(make_trace, make_window, phi, noise_w):
    """A meter with any error within its limits: 245 W on 600 W (limit 0.545 W), 240 s, from little to much noise."""
    rng, inside = np.random.default_rng(310), []
    t_s = np.arange(-9.0, 251.0)
    for noise in ar1(rng, phi, len(t_s), 400):
        shown_w = POWER_W + rng.uniform(-1, 1) * float(WT310E.limit(POWER_W, 600.0)) + noise_w * noise
        trace = make_trace(t_s, shown_w, specification=WT310E, range_w=600.0)
        process = analyse_power([trace], make_window(240), Limits()).process
        if process is not None:
            inside.append(abs(process.value - POWER_W) <= process.expanded_u)
    assert len(inside) > 380
    assert LOW <= np.mean(inside) <= HIGH


REFERENCE_W = np.array([50.0, 100.0, 250.0, 500.0, 1000.0])
REPEAT_W = np.array([0.02, 0.02, 0.03, 0.05, 0.1])
COMMON = CommonUncertainty(gain=2.5e-4, offset_w=0.01)


def calibrated_range(rng, offset_w, gain, laboratory):
    """Calibrate a meter of that error in a laboratory whose reference is off by a gain and an offset (method 6.2)."""
    true_w = REFERENCE_W * (1 + laboratory[0]) + laboratory[1]
    shown_w = (true_w - offset_w) / (1 + gain) + rng.normal(0, REPEAT_W)
    expanded = 2 * np.sqrt(REPEAT_W**2 + (COMMON.gain * REFERENCE_W) ** 2 + COMMON.offset_w**2)
    rows = zip(REFERENCE_W, shown_w, expanded, strict=True)
    points = tuple(Point(reference_w=p, indication_w=i, expanded_u_w=u, k=2.0, power_factor=1.0) for p, i, u in rows)
    return CalibratedRange(name="300V/5A", points=points, common=COMMON)


@pytest.mark.parametrize("ageing", [0.0, 5e-4, 3e-3])
def test_certificate_route_with_drift(ageing):
    """A meter that ages steadily, used at any time after a calibration; the one before tells its drift (method 2).

    Both calibrations come from one laboratory and its reference.
    """
    rng, trials, inside = np.random.default_rng(63), 800, 0
    for _ in range(trials):
        offset_w, gain = rng.normal(0, 0.2), rng.normal(0, 3e-3)
        laboratory = rng.normal(0, COMMON.gain), rng.normal(0, COMMON.offset_w)
        before = fit_model(calibrated_range(rng, offset_w, gain, laboratory))
        now = fit_model(calibrated_range(rng, offset_w, gain + ageing, laboratory))
        shown_w = (POWER_W - offset_w) / (1 + gain + ageing * (1 + rng.uniform()))
        calibration = Contribution("Certificate", now.standard_uncertainty(shown_w), "B")
        terms = (Contribution("Scatter", 0.05, "A", 30), calibration, drift_contribution(before, now, shown_w))
        value = UncertainValue(shown_w + rng.normal(0, 0.05) + now.correction(shown_w), "W", terms)
        inside += abs(value.value - POWER_W) <= value.expanded_u
    assert LOW <= inside / trials <= HIGH


def observations(rng, level, error, limit, meter, m, *, between=0.004, within=0.002):
    """Make the repeats of one system on one meter, whose relative error is at most ``limit``."""
    values = level * (1 + error) * np.exp(rng.normal(0, between, m) + rng.normal(0, within, m))
    shared, names = {meter: limit / math.sqrt(3)}, frozenset({meter})
    return system([Observation(float(v), within, 100.0, shared, True, meter, names) for v in values])


@pytest.mark.parametrize(("m", "limit"), [(3, 0.003), (3, 0.02), (5, 0.01), (10, 0.003)])
@pytest.mark.parametrize("meters", ["one meter", "two meters"])
def test_ratio_of_two_systems(m, limit, meters):
    """On one meter its error cancels; on two, each brings any error within its limits."""
    rng, trials, inside = np.random.default_rng(7), 800, 0
    for _ in range(trials):
        first, second = rng.uniform(-limit, limit, 2)
        names = ("a", "a") if meters == "one meter" else ("a", "b")
        if meters == "one meter":
            second = first
        x = observations(rng, 30.0, first, limit, names[0], m)
        y = observations(rng, 20.0, second, limit, names[1], m)
        low, high = ratio(x, y).interval()
        inside += low <= 1.5 <= high
    assert LOW <= inside / trials <= HIGH


@pytest.mark.parametrize(("m", "limit"), [(3, 0.02), (5, 0.002), (10, 0.005)])
def test_one_system_with_few_repeats(m, limit):
    """The meter's error is common to all repeats: it is added once and never divided by their number."""
    rng, trials, inside = np.random.default_rng(2026), 1000, 0
    for _ in range(trials):
        campaign = observations(rng, 30.0, rng.uniform(-limit, limit), limit, "a", m)
        low, high = absolute(campaign).interval()
        inside += low <= 30.0 <= high
    assert LOW <= inside / trials <= HIGH


def coverage_of_repeats(m, between):
    """Repeat m runs with unit scatter within and ``between`` among them, and count the intervals that hold the mean."""
    rng, trials = np.random.default_rng(22), 8000
    averages = [
        repeat_mean(row.tolist(), [1.0] * m, [200.0] * m)
        for row in rng.normal(0, math.hypot(1.0, between), (trials, m))
    ]
    return np.mean([abs(average.mean) <= coverage_factor(average.dof) * average.u for average in averages])


@pytest.mark.parametrize("m", [3, 5, 10])
@pytest.mark.parametrize("between", [0.5, 1.0, 4.0])
def test_mean_of_few_repeats(m, between):
    assert LOW <= coverage_of_repeats(m, between) <= HIGH


@pytest.mark.parametrize(("m", "between"), [(3, 0.0), (3, 2.0), (5, 0.0), (5, 2.0)])
def test_a_floor_under_lucky_agreement_costs_next_to_nothing(m, between):
    """Student's interval on the scatter between runs, floored by what lies within them: 95 to 96 % whatever rules."""
    assert coverage_of_repeats(m, between) == pytest.approx(0.956, abs=0.008)


@pytest.mark.parametrize("between", [0.0, 1.0, 2.0])
def test_twelve_equal_configurations_of_three_runs(between):
    """Runs that scatter by little more than they do within: one was called different in 17 of 100 campaigns."""
    rng, called, trials = np.random.default_rng(12), 0, 200
    for _ in range(trials):
        values = np.exp(rng.normal(0, 1e-3 * math.hypot(1.0, between), (12, 3)))
        systems = {
            str(k): system([Observation(float(v), 1e-3, 200.0, {}, True, "m") for v in row])
            for k, row in enumerate(values)
        }
        called += any(p < 0.05 for p in compare_all(systems).p_adjusted.values())
    assert called / trials <= 0.09, "0.06, and what 200 campaigns leave to chance"


def test_slow_drift_of_the_room_is_held_by_repeats():
    """Each run sees another temperature, a drift of up to 0.5 % within it and noise: five repeats hold the mean."""
    rng, trials, inside = np.random.default_rng(53), 500, 0
    t = np.linspace(-0.5, 0.5, 240)
    for _ in range(trials):
        runs = [
            type_a(POWER_W * (1 + rng.normal(0, 0.004) + rng.uniform(-0.005, 0.005) * t) + noise)
            for noise in ar1(rng, 0.3, 240, 5)
        ]
        average = repeat_mean([run.mean for run in runs], [run.u for run in runs], [run.dof for run in runs])
        inside += abs(average.mean - POWER_W) <= coverage_factor(average.dof) * average.u
    assert LOW <= inside / trials <= HIGH
