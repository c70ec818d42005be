"""When a daemon's samples were taken: clocks that agree, another zone, and a clock that is put back."""

from __future__ import annotations

import itertools

import pytest
from wattmark_drivers.ptdaemon.clocks import DaemonClock

SECOND, MS = 1_000_000_000, 1_000_000


def live(clock: DaemonClock, stamps_s, delays_ms) -> list[int]:
    """Place samples that come one by one, so many milliseconds after they were taken [by our clock]."""
    times = []
    for (stamp_s, true_s), late_ms in zip(stamps_s, delays_ms, strict=True):
        times += clock.place([round(stamp_s * SECOND)], round(true_s * SECOND) + late_ms * MS)
    return times


def test_clocks_that_may_agree_move_no_stamp():
    clock = DaemonClock(SECOND)
    assert live(clock, [(5, 5), (6, 6), (7, 7)], [80, 35, 120]) == [5 * SECOND, 6 * SECOND, 7 * SECOND]
    assert clock.offset_ns == 0
    assert clock.u_ns == 35 * MS


def test_a_zone_or_a_wrong_clock_is_taken_out():
    """A daemon in a zone an hour ahead, whose samples take 40 to 300 ms."""
    clock = DaemonClock(SECOND)
    times = live(clock, [(3605, 5), (3606, 6), (3607, 7)], [300, 40, 90])
    assert clock.offset_ns == -3600 * SECOND + 40 * MS
    assert times[1:] == [6 * SECOND + 40 * MS, 7 * SECOND + 40 * MS]


@pytest.mark.parametrize("back_s", [3600, 1.5, 1.0])
def test_a_clock_that_is_put_back_repeats_no_time(back_s):
    """Summer time ends, or NTP steps: the stamps repeat, the times go on second by second."""
    clock = DaemonClock(SECOND)
    true_s = list(range(10_000, 10_040))
    stamps_s = [(t if t < 10_020 else t - back_s, t) for t in true_s]
    times = live(clock, stamps_s, [50] * len(true_s))
    assert all(late > early for early, late in itertools.pairwise(times))
    assert max(abs(t_ns - t * SECOND) for t_ns, t in zip(times, true_s, strict=True)) <= 200 * MS
    assert clock.put_back_ns == back_s * SECOND


def test_a_clock_that_is_put_back_within_one_reply():
    """After an absence samples come together; only the newest one's arrival says something."""
    clock = DaemonClock(SECOND)
    live(clock, [(100, 100)], [30])
    stamps = [101, 102, 103, 104 - 60, 105 - 60, 106 - 60]
    times = clock.place([stamp * SECOND for stamp in stamps], 106 * SECOND + 30 * MS)
    assert [t_ns // MS for t_ns in times] == [t * 1000 for t in range(101, 107)]
    assert clock.put_back_ns == 60 * SECOND


def test_a_clock_that_is_put_ahead_is_followed_at_once():
    clock = DaemonClock(SECOND)
    times = live(clock, [(50, 50), (51, 51), (3652, 52), (3653, 53)], [20] * 4)
    assert [round(t_ns / SECOND, 1) for t_ns in times] == [50.0, 51.0, 52.0, 53.0]


def test_samples_of_the_first_reply_are_placed_by_the_newest():
    clock = DaemonClock(SECOND)
    assert clock.place([1000 * SECOND, 1001 * SECOND], 11 * SECOND) == [10 * SECOND, 11 * SECOND]


def test_nothing_is_learnt_where_the_newest_sample_did_not_come():
    clock = DaemonClock(SECOND)
    assert clock.place([1000 * SECOND], None) == [1000 * SECOND]
    assert clock.u_ns == 200 * MS
