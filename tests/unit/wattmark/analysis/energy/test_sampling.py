"""What lies between readings: coverage of the window's true mean, and loads in step with the readings."""

import numpy as np
import pytest
from wattmark.analysis.energy.power import analyse_power
from wattmark.analysis.energy.type_a import repeated_share, sampling_error
from wattmark.analysis.verdict import Limits
from wattmark_calibration import coverage_factor

WINDOW_S = 240


def square(t_s, period_s):
    """Power of a square of 190 and 310 W [W]."""
    return 250 + 60 * np.sign(np.sin(2 * np.pi * t_s / period_s) + 1e-12)


def covered(draw, trials=300):
    """Share of trials whose sampling error lies within its 95 % interval, and the mean half width over the 95th
    percentile of |error|; ``draw`` gives (samples, true mean)."""
    errors, widths = [], []
    for _ in range(trials):
        x, truth = draw()
        error = sampling_error(x, 1.0)
        errors.append(abs(x.mean() - truth))
        widths.append(coverage_factor(error.dof) * error.u)
    return np.mean(np.array(errors) <= widths), np.mean(widths) / np.percentile(errors, 95)


def test_instants_of_fast_noise():
    """Readings at instants of noise much faster than they: s/sqrt(n)."""
    rng = np.random.default_rng(1)
    share, wide = covered(lambda: (250 + rng.normal(0, 2, WINDOW_S), 250.0))
    assert 0.93 <= share <= 0.98
    assert wide < 1.3


@pytest.mark.parametrize("period_s", [7.3, 20.7])
def test_instants_of_a_square_load(period_s):
    """Jumps between readings err by a part of one cell each, far less than independent values would."""
    rng = np.random.default_rng(2)
    fine = np.arange(0, WINDOW_S, 0.01)

    def draw():
        phase = rng.uniform(0, period_s)
        stamps = rng.uniform(0, 1) + np.arange(WINDOW_S)
        return square(stamps + phase, period_s), float(square(fine + phase, period_s).mean())

    share, wide = covered(draw, 200)
    assert share >= 0.93
    assert wide < 3


def test_random_instants_of_a_load_in_step_with_the_readings():
    """Period exactly 1 s: on a grid the error is 60 W and nothing tells; at random instants it is scatter."""
    rng = np.random.default_rng(3)

    def draw():
        stamps = np.arange(WINDOW_S) + rng.uniform(0, 1, WINDOW_S)
        return square(stamps + rng.uniform(0, 1), 1.0), 250.0

    share, wide = covered(draw)
    assert 0.93 <= share <= 0.98
    assert wide < 1.3


def test_readings_that_cover_their_cells_leave_nothing():
    assert sampling_error(np.random.default_rng(4).normal(250, 5, 100), 0.0).u == 0


def test_a_quarter_of_the_variance_is_covered_by_a_quarter_of_the_time():
    x = np.random.default_rng(5).normal(250, 5, 100)
    assert sampling_error(x, 0.75).u == pytest.approx(np.sqrt(0.75) * sampling_error(x, 1.0).u)


@pytest.fixture
def rules(make_trace, make_window):
    def judge(t_s, value, **instrument):
        power = analyse_power([make_trace(t_s, value, **instrument)], make_window(100), Limits())
        return {v.rule: v for v in power.verdicts}

    return judge


T_S = np.arange(-20.0, 121.0)
NOISY = 250 + np.random.default_rng(6).normal(0, 1, len(T_S))


@pytest.mark.parametrize(
    ("instrument", "outcome"),
    [({"kind": "instantaneous"}, "fail"), ({"averaging_s": 0.25}, "fail"), ({"averaging_s": 0.97}, "pass")],
)
def test_readings_on_a_grid_can_miss_a_load_in_step(rules, instrument, outcome):
    assert rules(T_S, NOISY, **instrument)["aliasing"].outcome == outcome


def test_random_instants_cannot(rules):
    t_s = T_S + np.random.default_rng(7).uniform(0, 1, len(T_S))
    assert rules(t_s, NOISY, kind="instantaneous")["aliasing"].outcome == "pass"


@pytest.mark.parametrize(("period_s", "seed"), [(0.5, 7), *((1.0, seed) for seed in range(1, 9))])
def test_random_instants_cannot_either_where_there_are_more_of_them_than_new_values(rules, period_s, seed):
    """A plug whose declaration says 2 s is polled each second, at a random place of it, unless a person says more."""
    grid_s = np.arange(-20.0, 121.0, period_s)
    power_w = 250 + np.random.default_rng(6).normal(0, 1, len(grid_s))
    t_s = grid_s + np.random.default_rng(seed).uniform(0, period_s, len(grid_s))
    assert rules(t_s, power_w, kind="instantaneous", period_s=2.0)["aliasing"].outcome == "pass"
    assert rules(grid_s, power_w, kind="instantaneous", period_s=2.0)["aliasing"].outcome == "fail"


def test_a_meter_that_averages_its_whole_period_leaves_nothing_uncovered(rules):
    verdict = rules(T_S, NOISY)["aliasing"]
    assert (verdict.outcome, verdict.value) == ("pass", 0.0)


@pytest.mark.parametrize(("equal", "outcome"), [(60, "pass"), (61, "fail")])
def test_power_that_stands_still_was_not_measured(rules, equal, outcome):
    value = NOISY.copy()
    value[30 : 30 + equal] = 250.0
    assert rules(T_S, value)["frozen"].outcome == outcome


def test_an_unused_feed_stands_still_at_nothing(make_trace, make_window):
    traces = [make_trace(T_S, NOISY), make_trace(T_S, np.zeros(len(T_S)), name="feed 2")]
    power = analyse_power(traces, make_window(100), Limits())
    assert {v.outcome for v in power.verdicts if v.rule == "frozen"} == {"pass"}


@pytest.mark.parametrize(("digit", "share"), [(0.001, 0.2), (5.0, 0.0)])
def test_readings_given_twice_are_told_from_a_coarse_digit(digit, share):
    """One of five readings of 1 W of noise is the one before; rounded to 5 W most are alike by themselves."""
    rng = np.random.default_rng(8)
    x = np.round(rng.normal(250, 1, 500) / digit) * digit
    x[4::5] = x[3::5] if share else x[4::5]
    assert repeated_share(x, digit) == pytest.approx(share, abs=0.01)
    assert repeated_share(rng.normal(250, 1, 500), None) == 0
