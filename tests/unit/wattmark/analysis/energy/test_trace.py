"""What is a measurement and what is not."""

from dataclasses import replace

import numpy as np
import pytest
from wattmark.analysis.efficiency.window import MLPERF
from wattmark.analysis.energy.meter_power import meter_power
from wattmark.analysis.energy.trace import clean, good_samples
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits


@pytest.mark.parametrize("bad", [-1.0, -2.0, 0.0, np.nan, np.inf])
def test_sentinels_and_non_numbers_are_bad(make_trace, bad):
    """PTDaemon writes -1 for a read error and -2 for a missed sample."""
    assert good_samples(make_trace([1, 2, 3], [250, bad, 251])).tolist() == [True, False, True]


def test_unusable_samples_are_bad(make_trace):
    assert good_samples(make_trace([1, 2], [250, 251], usable=[False, True])).tolist() == [False, True]


def test_only_the_first_of_equal_stamps_counts(make_trace):
    assert good_samples(make_trace([1, 1, 2], [250, 999, 251])).tolist() == [True, False, True]


def test_stamps_a_millisecond_apart_count(make_trace):
    assert good_samples(make_trace([1, 1.001, 2], [250, 251, 252])).all()


def test_second_feed_without_load_counts_as_zero(make_trace):
    assert good_samples(make_trace([1, 2, 3], [0, 0, 0])).all()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"unit": "kW"}, "mixed-units"),
        ({"kind": "counter", "unit": "W"}, "mixed-units"),
    ],
)
def test_other_units_are_refused(make_trace, make_window, changes, reason):
    with pytest.raises(Refused) as refusal:
        clean(make_trace([1, 2], [250, 251], **changes), make_window(60.0))
    assert refusal.value.reason == reason


@pytest.mark.parametrize(("t_s", "value"), [([], []), ([1, 2], [-1, -2]), ([1, 2], [np.nan, np.nan])])
def test_nothing_usable_is_refused(make_trace, make_window, t_s, value):
    with pytest.raises(Refused, match="no usable sample"):
        clean(make_trace(t_s, value), make_window(60.0))


@pytest.mark.parametrize(
    ("value", "doubts", "words"),
    [
        (
            [-118.0, -117.0, -119.0],
            (),
            "(3 negative); a current transformer is reversed, or supply and load are swapped",
        ),
        ([-1.0, 5.0, np.nan], (("watts without volts", [False, True, False]),), "(1 negative, 1 not a number, 1 watts"),
        ([], (), "near the window; check the meter"),
    ],
)
def test_what_excludes_all_samples_is_told(make_trace, make_window, value, doubts, words):
    usable = np.ones(len(value), dtype=bool)
    for _, samples in doubts:
        usable &= ~np.array(samples)
    trace = make_trace(np.arange(len(value)), value, usable=usable)
    trace = replace(trace, doubts=tuple((text, np.array(samples)) for text, samples in doubts))
    with pytest.raises(Refused) as refusal:
        clean(trace, make_window(60.0))
    assert words in refusal.value.text


def test_stamps_that_run_backwards_are_refused(make_trace, make_window):
    with pytest.raises(Refused, match="run backwards"):
        clean(make_trace([1, 3, 2], [250, 250, 250]), make_window(60.0))


@pytest.mark.parametrize(("step_s", "due_s"), [(1.03, 1.03), (0.95, 0.95), (1.2, 1.0), (2.0, 1.0)])
def test_only_a_rhythm_near_the_declared_one_is_the_meters_own(make_trace, make_window, step_s, due_s):
    """A meter that answers 3 % late loses nothing; where every second reading is missing, what was declared counts."""
    trace = clean(make_trace(step_s * np.arange(20), np.full(20, 250.0), period_s=1.0), make_window(60.0))
    assert trace.period_s == pytest.approx(due_s)
    assert trace.interval_s == pytest.approx(step_s)


@pytest.mark.parametrize(
    ("instrument", "step_s", "share"),
    [
        ({}, 1.0, 0.0),
        ({}, 1.05, 0.0),
        ({}, 1.25, 0.2),
        ({"averaging_s": 0.25}, 1.0, 0.75),
        ({"averaging_s": 2.0}, 1.0, 0.0),
        ({"kind": "instantaneous"}, 1.0, 1.0),
        ({"kind": "counter", "unit": "Wh"}, 1.0, 0.0),
    ],
)
def test_share_of_time_that_no_reading_covers(make_trace, make_window, instrument, step_s, share):
    trace = clean(make_trace(step_s * np.arange(20), np.full(20, 250.0), **instrument), make_window(60.0))
    assert trace.uncovered_share == pytest.approx(share)


def test_readings_beyond_the_range_are_no_measurements(make_trace, make_window):
    trace = replace(make_trace([1, 2, 3], [250, 600, 251]), over_range=np.array([False, True, False]))
    assert good_samples(trace).tolist() == [True, False, True]
    assert clean(trace, make_window(60.0)).over_range_t_s.tolist() == [2.0]


def test_readings_that_were_repeated_too_long_are_no_measurements(make_trace, make_window):
    """Drivers flag a reading as stale that came again for more than three updates."""
    trace = replace(make_trace(np.arange(1.0, 6.0), np.full(5, 250.0)), stale=np.arange(5) == 3)
    assert np.flatnonzero(~good_samples(trace)).tolist() == [3]
    assert clean(trace, make_window(60.0)).stale_t_s.tolist() == [4.0]


def test_bad_samples_are_counted_inside_the_window_only(make_trace, make_window):
    trace = make_trace([-1, 1, 2, 3, 9], [-1, 250, -1, 250, -2])
    power = meter_power(trace, make_window(5.0, MLPERF), Limits())
    assert (power.samples, power.excluded) == (2, 1)
