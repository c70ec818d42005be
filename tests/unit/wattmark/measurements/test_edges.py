"""Where a window lies that was begun and ended by requests: its length is that of the work, its place is bounded."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.core.errors import InputError
from wattmark.measurements.edges import place_window
from wattmark.workloads.marks import Mark

S = 10**9
UTC_NS = 1_790_000_000 * S


def mark(at_s: float) -> Mark:
    return Mark(UTC_NS + round(at_s * S), round(at_s * S))


@given(to_service=st.floats(0, 2), back=st.floats(0, 2), work=st.floats(0.1, 1000), to_end=st.floats(0, 5))
def test_the_true_window_is_as_long_and_lies_within_the_stated_half_width(
    to_service: float, back: float, work: float, to_end: float
) -> None:
    """The request takes ``to_service``, its answer ``back``, then the work; the request to end takes ``to_end``."""
    begun, true_begin, ended = mark(0), back, mark(back + work + to_end)
    window = place_window(begun, ended, work, to_service + back)
    assert window.u_s is not None
    half_s = window.u_s * math.sqrt(3)
    begin_s = (window.begin.monotonic_ns - begun.monotonic_ns) / S
    assert abs(begin_s - true_begin) <= half_s + 2e-9
    assert window.end.since(window.begin) == pytest.approx(work, abs=2e-9)
    assert window.end.utc_ns - window.begin.utc_ns == window.end.monotonic_ns - window.begin.monotonic_ns
    assert half_s <= (to_service + back) / 2 + 1e-9


def test_without_a_duration_the_window_is_from_arrival_to_arrival() -> None:
    window = place_window(mark(0), mark(7), None, 0.5)
    assert (window.begin, window.end, window.u_s, window.remark) == (mark(0), mark(7), None, None)


def test_without_the_time_of_the_request_the_place_is_known_to_what_is_left() -> None:
    """Work of 6 s, somewhere between requests that arrived 7 s apart."""
    window = place_window(mark(0), mark(7), 6.0, None)
    assert window.u_s == pytest.approx(0.5 / math.sqrt(3))
    assert (window.begin, window.end) == (mark(0.5), mark(6.5))


@pytest.mark.parametrize("step_s", [5.0, -5.0])
def test_a_clock_that_was_set_meanwhile_is_seen(step_s: float) -> None:
    """The end is on the time of the readings about it, which are stamped by the clock as it was set."""
    ended = Mark(mark(100).utc_ns + round(step_s * S), mark(100).monotonic_ns)
    window = place_window(mark(0), ended, 99.0, 0.2)
    assert window.end.clock_step_s(window.begin) == pytest.approx(step_s)
    assert window.end.since(window.begin) == pytest.approx(99.0)
    assert ended.utc_ns - window.end.utc_ns == pytest.approx(0.9 * S)


def test_more_work_than_time_is_refused_and_a_crystal_is_not() -> None:
    with pytest.raises(InputError, match="elapsed_s is 8 s, and only 7 s passed here"):
        place_window(mark(0), mark(7), 8.0, 0.1)
    assert place_window(mark(0), mark(100), 100.05, 0.0).end == mark(100), "500 ppm between two clocks"


def test_an_edge_that_matters_is_said() -> None:
    assert place_window(mark(0), mark(100), 99.0, 0.2).remark is None
    remark = place_window(mark(0), mark(2), 1.0, 0.2).remark
    assert remark is not None
    assert "The window of 1 s is known to ±0.1 s" in remark
    assert "Let the work last 10 s." in remark
