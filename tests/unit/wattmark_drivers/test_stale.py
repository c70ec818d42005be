"""A device that repeats itself is marked, one that merely is steady in part is not."""

from __future__ import annotations

import math

import pytest
from wattmark_drivers.reading import Kind, Quality, Reading
from wattmark_drivers.stale import StaleWatch


def reading(second: float, value: float, channel: str = "power", device_s: int | None = None) -> Reading:
    device_ns = None if device_s is None else device_s * 10**9
    return Reading(channel, value, "W", int(second * 1e9), 0, Kind.AVERAGED, device_time_ns=device_ns)


def stale(watch: StaleWatch, *readings: Reading) -> bool:
    return all(item.quality & Quality.STALE for item in watch.mark(readings))


def test_all_values_standing_still_for_more_than_three_periods():
    watch = StaleWatch(update_period_s=1.0)
    seen = [stale(watch, reading(t, 100.0), reading(t, 230.0, "voltage")) for t in range(6)]
    assert seen == [False, False, False, False, True, True]
    assert not stale(watch, reading(6, 100.0), reading(6, 230.1, "voltage"))


def test_one_moving_value_shows_that_the_device_is_alive():
    watch = StaleWatch(update_period_s=1.0)
    assert not any(stale(watch, reading(t, 100.0), reading(t, 230.0 + t, "voltage")) for t in range(10))


def test_a_moving_device_stamp_shows_that_the_device_is_alive():
    watch = StaleWatch(update_period_s=1.0)
    assert not any(stale(watch, reading(t, 100.0, device_s=t)) for t in range(10))


@pytest.mark.parametrize("value", [math.nan, 7.0])
def test_a_missing_value_can_stand_still_too(value):
    watch = StaleWatch(update_period_s=0.1)
    assert [stale(watch, reading(t, value)) for t in (0, 1)] == [False, True]


def test_rare_polls_are_stale_after_three_of_them_and_not_at_the_first_equal_value():
    watch = StaleWatch(update_period_s=1.0, poll_period_s=5.0)
    assert [stale(watch, reading(t, 7.0)) for t in range(0, 30, 5)] == [False] * 4 + [True] * 2


def test_no_readings_are_not_stale():
    assert StaleWatch(1.0).mark([]) == []
