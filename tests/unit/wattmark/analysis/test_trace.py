"""What is a measurement and what is not."""

import numpy as np
import pytest
from wattmark.analysis.refusal import Refused
from wattmark.analysis.trace import clean, good_samples


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
def test_other_units_are_refused(make_trace, begin_ns, changes, reason):
    with pytest.raises(Refused) as refusal:
        clean(make_trace([1, 2], [250, 251], **changes), begin_ns, shift=True)
    assert refusal.value.reason == reason


@pytest.mark.parametrize(("t_s", "value"), [([], []), ([1, 2], [-1, -2]), ([1, 2], [np.nan, np.nan])])
def test_nothing_usable_is_refused(make_trace, begin_ns, t_s, value):
    with pytest.raises(Refused, match="no usable sample"):
        clean(make_trace(t_s, value), begin_ns, shift=True)


def test_stamps_that_run_backwards_are_refused(make_trace, begin_ns):
    with pytest.raises(Refused, match="run backwards"):
        clean(make_trace([1, 3, 2], [250, 250, 250]), begin_ns, shift=True)


def test_slower_rhythm_than_declared_is_no_row_of_gaps(make_trace, begin_ns):
    trace = clean(make_trace([5, 10, 15, 20], [250] * 4, period_s=1.0), begin_ns, shift=True)
    assert trace.period_s == pytest.approx(5.0)


def test_bad_samples_are_counted_inside_the_window_only(make_trace, begin_ns):
    trace = clean(make_trace([-1, 1, 2, 3, 9], [-1, 250, -1, 250, -2]), begin_ns, shift=True)
    assert trace.bad_inside(5.0) == 1
