"""Limits with hysteresis and hold; every expected instant is read off the list of readings by hand."""

from __future__ import annotations

import pytest
from wattmark.alarms.watch import Crossing, Limit, LimitWatch


def crossings(limit: Limit, *values: float | None) -> list[Crossing]:
    """Take one reading a second from 0 s on; gives what was told."""
    watch = LimitWatch(limit)
    return [crossing for t_s, value in enumerate(values) if (crossing := watch.take(float(t_s), value)) is not None]


def test_an_alarm_begins_beyond_the_limit_and_ends_when_it_is_back_by_the_hysteresis() -> None:
    limit = Limit("high", 300.0, hysteresis=10.0)
    events = crossings(limit, 299, 300, 301, 305, 295, 291, 290, 299)
    assert events == [
        Crossing(limit, 2.0, 301),
        Crossing(limit, 2.0, 305),
        Crossing(limit, 2.0, 305, end_s=6.0),
    ], "300 is not above 300; 295 and 291 are within 10 of it, 290 is back"


def test_a_low_limit_is_crossed_downwards() -> None:
    limit = Limit("low", 5.0, hysteresis=1.0)
    assert crossings(limit, 6, 5, 4, 3, 5.5, 6) == [
        Crossing(limit, 2.0, 4),
        Crossing(limit, 2.0, 3),
        Crossing(limit, 2.0, 3, end_s=5.0),
    ]


def test_without_hysteresis_it_ends_with_the_first_reading_that_is_not_beyond() -> None:
    limit = Limit("high", 10.0)
    assert crossings(limit, 11, 10)[-1].end_s == 1.0
    assert crossings(limit, 11, 9)[-1].end_s == 1.0


def test_a_peak_shorter_than_the_hold_is_no_alarm() -> None:
    limit = Limit("high", 10.0, hold_s=2.0)
    assert crossings(limit, 9, 12, 13, 9, 12, 9) == []


def test_a_hold_counts_from_the_first_reading_beyond_the_limit() -> None:
    limit = Limit("high", 10.0, hold_s=2.0)
    assert crossings(limit, 9, 14, 12, 11, 9) == [
        Crossing(limit, 1.0, 14),
        Crossing(limit, 1.0, 14, end_s=4.0),
    ], "beyond since 1 s, told at 3 s with the 14 from before, back at 4 s"


@pytest.mark.parametrize(("values", "count"), [((12, None, 12, 12), 0), ((12, None, 12, 12, 12), 1)])
def test_a_gap_lets_a_hold_begin_anew(values: tuple[float | None, ...], count: int) -> None:
    assert len(crossings(Limit("high", 10.0, hold_s=2.0), *values)) == count


def test_a_gap_ends_no_alarm() -> None:
    limit = Limit("high", 10.0)
    assert crossings(limit, 12, None, None, 12, 9) == [Crossing(limit, 0.0, 12), Crossing(limit, 0.0, 12, end_s=4.0)]


def test_it_can_begin_again() -> None:
    events = crossings(Limit("high", 10.0, hold_s=1.0), 12, 12, 9, 12, 13, 9)
    assert [(event.begin_s, event.end_s) for event in events] == [(0.0, None), (0.0, 2.0), (3.0, None), (3.0, 5.0)]
