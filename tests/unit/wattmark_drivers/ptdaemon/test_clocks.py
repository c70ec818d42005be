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


@pytest.mark.parametrize("ahead_s", [3600, 2.5])
def test_a_clock_that_is_put_ahead_within_one_reply(ahead_s):
    """After an absence samples come together: those before the step have the times that they had without it."""
    clock = DaemonClock(SECOND)
    live(clock, [(100, 100)], [30])
    stamps = [101, 102, 103, 104 + ahead_s, 105 + ahead_s, 106 + ahead_s]
    times = clock.place([round(stamp * SECOND) for stamp in stamps], 106 * SECOND + 30 * MS)
    assert [t_ns / SECOND for t_ns in times] == pytest.approx([101, 102, 103, 104, 105, 106], abs=0.2)


def test_a_gap_within_one_reply_is_no_step():
    """The analyser was away for a minute, and nothing but the gap shows it: the newest sample came in its time."""
    clock = DaemonClock(SECOND)
    live(clock, [(100, 100)], [30])
    times = clock.place([101 * SECOND, 102 * SECOND, 162 * SECOND], 162 * SECOND + 30 * MS)
    assert [t_ns // SECOND for t_ns in times] == [101, 102, 162]


def test_a_clock_that_is_put_ahead_at_a_sample_that_did_not_come():
    """It is told late by an interval, and all the same sooner than its stamp."""
    clock = DaemonClock(SECOND)
    live(clock, [(50, 50), (51, 51)], [20, 20])
    times = clock.place([3652 * SECOND], 53 * SECOND + 20 * MS, missed=True)
    times += live(clock, [(3653, 53), (3654, 54)], [30, 20])
    assert [t_ns / SECOND for t_ns in times] == pytest.approx([52, 53, 54], abs=1.1)
    assert times[-1] / SECOND == pytest.approx(54, abs=0.2)


@pytest.mark.parametrize("back_s", [0.5, 0.9])
def test_a_clock_that_is_put_back_by_less_than_an_interval(back_s):
    """No stamp repeats; until the fourth sample has come as late, each may be wrong by as much, and says so."""
    clock = DaemonClock(SECOND)
    worst_ns = []
    for true_s in range(1000, 1080):
        stamp_s = true_s if true_s < 1020 else true_s - back_s
        (t_ns,) = live(clock, [(stamp_s, true_s)], [50])
        error_ns = abs(t_ns - true_s * SECOND)
        assert error_ns <= max(200 * MS, clock.u_ns)
        worst_ns.append(error_ns)
    assert max(worst_ns[23:]) <= 200 * MS
    assert clock.put_back_ns == round(back_s * SECOND)


def test_a_sample_that_was_taken_early_is_no_clock_that_was_put_back():
    """It comes late once, as nobody looked for it so soon; the next ones come as they did before."""
    clock = DaemonClock(SECOND)
    stamps = [(10.0, 10.0), (11.0, 11.0), (11.7, 11.7), (13.0, 13.0), (14.0, 14.0), (15.0, 15.0), (16.0, 16.0)]
    times = live(clock, stamps, [50, 50, 350, 50, 50, 50, 50])
    assert [t_ns / SECOND for t_ns in times] == [true_s for _, true_s in stamps]
    assert clock.put_back_ns == 0
    assert clock.u_ns == 50 * MS


def test_samples_of_the_first_reply_are_placed_by_the_newest():
    clock = DaemonClock(SECOND)
    assert clock.place([1000 * SECOND, 1001 * SECOND], 11 * SECOND) == [10 * SECOND, 11 * SECOND]


def test_nothing_is_learnt_where_the_newest_sample_did_not_come():
    clock = DaemonClock(SECOND)
    assert clock.place([1000 * SECOND], 11 * SECOND, missed=True) == [1000 * SECOND]
    assert clock.u_ns == 200 * MS
