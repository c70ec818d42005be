"""Throughput over the window, cut like power."""

import math

import numpy as np
import pytest
from wattmark.analysis.efficiency.efficiency import last_digit, throughput
from wattmark.analysis.refusal import Refused


def test_whole_intervals(make_marks, make_window):
    marks = make_marks(0, 20, [(0, 10, 1000), (10, 20, 1200)])
    rate = throughput(marks, make_window(20), None, "signs")
    assert (rate.rate.value, rate.rate.unit) == (110.0, "signs/s")
    assert rate.rate.u == pytest.approx(1 / math.sqrt(6) / 20)
    assert rate.notes == ()


def test_cut_intervals_carry_a_boundary_term(make_marks, make_window):
    """A quarter of 1000 and three quarters of 800, each bounded by the smaller part: rectangular."""
    marks = make_marks(0, 20, [(-7.5, 2.5, 1000), (2.5, 12.5, 900), (12.5, 22.5, 800)])
    rate = throughput(marks, make_window(20), None, "signs")
    assert rate.rate.value == pytest.approx((250 + 900 + 600) / 20)
    cut = next(c for c in rate.rate.contributions if "cut" in c.name)
    assert cut.u_result == pytest.approx(math.hypot(250, 200) / math.sqrt(3) / 20)


def test_parallel_intervals_add_up(make_marks, make_window):
    marks = make_marks(0, 10, [(0, 10, 500), (0, 10, 700)])
    assert throughput(marks, make_window(10), None, "signs").rate.value == 120.0


def test_uncounted_time_is_named(make_marks, make_window):
    marks = make_marks(0, 20, [(0, 8, 800), (12, 20, 800)])
    rate = throughput(marks, make_window(20), None, "signs")
    assert rate.rate.value == 80.0
    assert "do not cover 4 s of the window" in rate.notes[0]


def test_stated_throughput_has_its_last_digit(make_marks, make_window):
    rate = throughput(make_marks(0, 868), make_window(868), 93371.4, "samples")
    assert rate.rate.value == 93371.4
    assert rate.rate.u == pytest.approx(0.1 / math.sqrt(12))
    assert "stated by the source" in rate.notes[0]


@pytest.mark.parametrize(("value", "digit"), [(93371.4, 0.1), (100077.0, 1.0), (557.434, 0.001), (1e-05, 1.0)])
def test_last_digit(value, digit):
    assert last_digit(value) == pytest.approx(digit)


def test_nothing_counted(make_marks, make_window):
    assert throughput(make_marks(0, 10), make_window(10), None, "signs") is None


@pytest.mark.parametrize(
    ("intervals", "reason"),
    [
        ([(0, 10, 0)], "no-work"),
        ([(20, 30, 100)], "no-work"),
        ([(0, 10, -5)], "bad-amount"),
        ([(0, 10, np.nan)], "bad-amount"),
        ([(5, 5, 100)], "empty-interval"),
    ],
)
def test_impossible_work_is_refused(make_marks, make_window, intervals, reason):
    with pytest.raises(Refused) as refusal:
        throughput(make_marks(0, 10, intervals), make_window(10), None, "signs")
    assert refusal.value.reason == reason


@pytest.mark.parametrize("stated", [0.0, -1.0, np.nan])
def test_impossible_statement_is_refused(make_marks, make_window, stated):
    with pytest.raises(Refused):
        throughput(make_marks(0, 10), make_window(10), stated, "samples")
