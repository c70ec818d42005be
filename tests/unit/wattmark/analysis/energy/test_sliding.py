"""Readings that average over longer than the time between two: known power in, the energy of the window out.

Truth is 150 W outside and 250 W inside the window unless said otherwise; a reading is the exact mean over the time that
ends at its stamp (method, section 1).
"""

import numpy as np
import pytest
from wattmark.analysis.efficiency.window import MLPERF, Window
from wattmark.analysis.energy.power import analyse_power
from wattmark.analysis.energy.sliding import unfolded
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits

IDLE_W, LOAD_W = 150.0, 250.0


def energy_j(t, begin_s, end_s):
    """Antiderivative of idle power with a load between two instants."""
    return IDLE_W * t + (LOAD_W - IDLE_W) * (np.clip(t, begin_s, end_s) - begin_s)


def swinging_j(t, begin_s, end_s, period_s=90.0, amplitude_w=60.0):
    """The same with a square of +-60 W on top of the load."""
    share = np.mod((np.clip(t, begin_s, end_s) - begin_s) / period_s, 1.0)
    return energy_j(t, begin_s, end_s) + amplitude_w * period_s * (np.minimum(share, 0.5) * 2 - share)


def readings(true_j, averaging_s, period_s, duration_s, margin_s=30.0):
    t = np.arange(-margin_s + 0.4 * period_s, duration_s + margin_s, period_s)
    return t, (true_j(t) - true_j(t - averaging_s)) / averaging_s


@pytest.fixture
def measure(make_trace, make_window):
    def measured(true_j, mean_s, period_s, duration_s, *, rule=None, margin_s=30.0, late_s=0.0, **meter):
        t, value = readings(lambda t: true_j(t - late_s), mean_s, period_s, duration_s, margin_s)
        meter = {"u_latency_s": 0.0, "period_s": period_s, "averaging_s": mean_s} | meter
        window = make_window(duration_s)
        window = window if rule is None else Window(window.begin_ns, window.end_ns, rule)
        power = analyse_power([make_trace(t, value, **meter)], window, Limits())
        truth_w = float(true_j(np.array([duration_s]))[0] - true_j(np.array([0.0]))[0]) / duration_s
        return power, power.mean.value - truth_w

    return measured


@pytest.mark.parametrize(
    ("averaging_s", "period_s", "duration_s"),
    [(2, 1, 240), (5, 1, 240), (10, 1, 240), (60, 1, 240), (60, 1, 600), (300, 5, 600), (20, 1, 60), (7.3, 1, 250)],
)
def test_a_step_at_both_marks_costs_no_more_than_cells_cut_there(measure, averaging_s, period_s, duration_s):
    """As they are, such readings lose (A/2 - T/2) x 100 W at the begin: 12 W of 250 W for a minute in four.

    A cell cut by a mark errs by up to T/4 of the step, and so does a line between readings where none is a whole
    averaging time earlier.
    """
    power, error_w = measure(lambda t: energy_j(t, 0.0, duration_s), averaging_s, period_s, duration_s)
    places = 2 if averaging_s % period_s == 0 else 3
    assert abs(error_w) <= places * 0.25 * period_s * 100 / duration_s
    assert abs(error_w) <= power.mean.expanded_u


def test_a_load_that_settled_for_less_than_an_averaging_time_is_right(measure):
    power, error_w = measure(lambda t: energy_j(t, -20.0, 260.0), 60, 1, 240)
    assert abs(error_w) < 0.01
    assert sum(c.u_result for c in power.mean.contributions if c.name.startswith("Sliding mean")) < 0.2


@pytest.mark.parametrize("duration_s", [240, 250])
def test_a_slow_square_is_not_smoothed_away_at_the_edges(measure, duration_s):
    """Load begins and ends 20 s outside; readings change all through the window, which its ± tells."""
    power, error_w = measure(lambda t: swinging_j(t, -20.0, duration_s + 20.0), 60, 1, duration_s, margin_s=60.0)
    assert abs(error_w) < max(0.3, power.mean.expanded_u)


def test_a_latency_beyond_the_averaging_time_is_taken_off_as_well(measure):
    _, error_w = measure(lambda t: energy_j(t, 0.0, 240.0), 60, 1, 240, late_s=2.0, latency_s=2.0)
    assert abs(error_w) <= 2 * 0.25 * 100 / 240


def test_no_reading_of_a_window_shorter_than_one_average_is_of_it_alone(measure):
    with pytest.raises(Refused, match="averages over 300 s, longer than the window of 240 s"):
        measure(lambda t: energy_j(t, 0.0, 240.0), 300, 1, 240)


def test_a_recording_shorter_than_one_average_tells_nothing(measure):
    with pytest.raises(Refused, match="record for 300 s before and after"):
        measure(lambda t: energy_j(t, 0.0, 300.0), 300, 1, 300, margin_s=-1.0)


def test_a_rule_that_asks_for_the_mean_of_samples_gets_it_with_the_lag_in_its_budget(measure):
    """(A - T)/2 late at the begin: 100 W x 30 s of 240 s; the value is that of the rule."""
    power, error_w = measure(lambda t: energy_j(t, 0.0, 240.0), 60, 1, 240, rule=MLPERF)
    assert error_w == pytest.approx(-100 * 30 / 240, rel=0.05)
    assert power.mean.expanded_u >= abs(error_w)


def test_power_behind_the_means_is_what_it_was():
    """Steps anywhere, also inside; the means of the recovered power are the readings."""
    levels = np.array([150.0, 250.0, 200.0, 310.0, 150.0])
    knots = np.array([-1000.0, 0.0, 83.0, 120.0, 190.0, 1000.0])

    def true_j(t):
        return np.interp(t, knots, np.concatenate(([0.0], np.cumsum(levels * np.diff(knots)))))

    t = np.arange(-100.0, 301.0)
    power = unfolded(t, (true_j(t) - true_j(t - 60)) / 60, 60.0, 1.0).power
    middle = np.arange(-59.5, 299.5)
    truth = np.array([levels[np.searchsorted(knots, s) - 1] for s in middle])
    assert np.interp(middle, (power.t_s[1:] + power.t_s[:-1]) / 2, power.left) == pytest.approx(truth, abs=1e-6)


@pytest.mark.parametrize("late_s", [-1.0, 3.0, 8.0])
def test_edges_show_a_delay_on_either_side_that_nobody_stated(measure, late_s):
    power, error_w = measure(lambda t: energy_j(t, 0.0, 60.0), 1, 1, 60, late_s=late_s, u_latency_s=None)
    term = next(c for c in power.mean.contributions if c.name.startswith("Latency"))
    assert f"{'early' if late_s < 0 else 'late'}" in term.note
    assert abs(error_w) <= power.mean.expanded_u


def test_a_stated_latency_that_both_edges_contradict_does_not_narrow_the_interval(measure):
    power, error_w = measure(lambda t: energy_j(t, 0.0, 60.0), 1, 1, 60, late_s=1.5)
    term = next(c for c in power.mean.contributions if c.name.startswith("Latency"))
    assert term.note.endswith("although the latency is stated")
    assert abs(error_w) <= power.mean.expanded_u


def test_an_averaging_time_that_nobody_stated_shows_at_the_edges(measure):
    """A sliding mean of 60 s that says nothing of it is 30 s late at both marks."""
    averaged = {"averaging_s": None, "u_latency_s": None}
    power, error_w = measure(lambda t: energy_j(t, 0.0, 240.0), 60, 1, 240, margin_s=90.0, **averaged)
    assert error_w == pytest.approx(-12.3, abs=0.3)
    assert abs(error_w) <= power.mean.expanded_u <= 1.5 * abs(error_w)


def test_edges_that_are_smeared_although_the_latency_was_measured_count(measure):
    """Load pulses find the middle of a mean of 20 s; what its width loses at the edges, A/8 of the step each, stays."""
    averaged = {"averaging_s": None, "u_latency_s": 0.02, "latency_s": 9.5}
    power, error_w = measure(lambda t: energy_j(t, 0.0, 240.0), 20, 1, 240, **averaged)
    assert error_w == pytest.approx(-100 * 20 / 4 / 240, abs=0.15)
    assert abs(error_w) <= power.mean.expanded_u
