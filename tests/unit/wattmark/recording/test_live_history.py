"""The last day of a live channel, against numpy on the very readings."""

from __future__ import annotations

import tracemalloc

import numpy as np
from wattmark.recording.live_history import LiveHistory

BEGIN_S = 1_700_000_040.0
"""A whole minute."""


def filled(seconds: int, per_second: int = 2) -> tuple[LiveHistory, np.ndarray, np.ndarray]:
    t_s = BEGIN_S + np.arange(seconds * per_second) / per_second
    value = np.random.default_rng(3).normal(200, 20, len(t_s))
    history = LiveHistory()
    for reading in zip(t_s.tolist(), value.tolist(), strict=True):
        history.add(*reading)
    return history, t_s, value


def test_seconds_of_the_last_hour_hold_every_peak() -> None:
    history, t_s, value = filled(5000)
    now_s = float(t_s[-1])
    columns = history.between(now_s - 999.5, now_s, now_s, points=1000)
    last = value[-2000:].reshape(1000, 2)
    assert columns.width_s == 1.0
    np.testing.assert_allclose(columns.t_s, t_s[-2000::2] + 0.5)
    np.testing.assert_allclose(columns.minimum, last.min(axis=1))
    np.testing.assert_allclose(columns.maximum, last.max(axis=1))
    np.testing.assert_allclose(columns.mean, last.mean(axis=1))


def test_beyond_an_hour_minutes_answer_and_joined_columns_keep_the_extremes() -> None:
    history, t_s, value = filled(7200)
    now_s = float(t_s[-1])
    columns = history.between(BEGIN_S, now_s, now_s, points=60)
    assert columns.width_s == 120.0
    assert len(columns.t_s) == 60
    parts = value.reshape(60, 240)
    np.testing.assert_allclose(columns.maximum, parts.max(axis=1))
    np.testing.assert_allclose(columns.minimum, parts.min(axis=1))
    np.testing.assert_allclose(columns.mean, parts.mean(axis=1))


def test_silence_leaves_a_hole_and_what_left_the_ring_does_not_come_back() -> None:
    history = LiveHistory()
    history.add(BEGIN_S, 1.0)
    later = BEGIN_S + 3600.0
    history.add(later, 2.0)
    history.add(BEGIN_S + 0.1, 9.0)
    assert history.between(BEGIN_S + 2, later, later, points=3600).mean == [2.0]
    a_day = history.between(later - 86_000, later, later, points=2000)
    assert (a_day.minimum, a_day.maximum) == ([1.0, 2.0], [9.0, 2.0])
    assert history.between(later + 10, later + 20, later + 20, points=10).t_s == []


def test_memory_stands_still_after_the_first_hour() -> None:
    """Seconds are kept for an hour and minutes for a day, which are a hundredth of it: 40 bytes a minute."""

    def feed(history: LiveHistory, begin_s: int, end_s: int) -> int:
        for t_s in range(begin_s, end_s):
            history.add(float(t_s), 200.0 + t_s % 7)
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        history = LiveHistory()
        before = feed(history, 0, 1)
        first, second, third = (feed(history, hour * 3600 + 1800, (hour + 1) * 3600 + 1800) for hour in (0, 1, 2))
    finally:
        tracemalloc.stop()
    assert first - before > 100_000
    assert second - first < 0.2 * (first - before), "the last eighth, by which a ring may be longer"
    assert third - second < 10_000
