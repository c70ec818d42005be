"""Stuck devices and registers, counters that go back and power beyond the range are marked; steady ones are not."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from wattmark_drivers.catalogue.suspicion import Suspicion
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Quality, Reading
from wattmark_drivers.watch import Memory, ReadingWatch

IDENTITY = MeterIdentity("wall", "test.meter", "Test", "Test")
CHANNELS = [
    Channel("power", "power", "W", Kind.AVERAGED, resolution=0.1),
    Channel("voltage", "voltage", "V", Kind.AVERAGED, resolution=0.1),
    Channel("current", "current", "A", Kind.AVERAGED, resolution=0.001),
]


def still_watch(update_period_s: float, poll_period_s: float = 0.0) -> ReadingWatch:
    return ReadingWatch(replace(IDENTITY, update_period_s=update_period_s), [], poll_period_s)


def reading(second: float, value: float, channel: str = "power", device_s: int | None = None) -> Reading:
    device_ns = None if device_s is None else device_s * 10**9
    return Reading(channel, value, "W", int(second * 1e9), 0, Kind.AVERAGED, device_time_ns=device_ns)


def stale(watch: ReadingWatch, *readings: Reading) -> bool:
    return all(item.quality & Quality.STALE for item in watch.mark(readings))


def test_all_values_standing_still_for_more_than_three_periods():
    watch = still_watch(1.0)
    seen = [stale(watch, reading(t, 100.0), reading(t, 230.0, "voltage")) for t in range(6)]
    assert seen == [False, False, False, False, True, True]
    assert not stale(watch, reading(6, 100.0), reading(6, 230.1, "voltage"))


def test_one_moving_value_shows_that_the_device_is_alive():
    watch = still_watch(1.0)
    assert not any(stale(watch, reading(t, 100.0), reading(t, 230.0 + t, "voltage")) for t in range(10))


def test_a_moving_device_stamp_shows_that_the_device_is_alive():
    watch = still_watch(1.0)
    assert not any(stale(watch, reading(t, 100.0, device_s=t)) for t in range(10))


@pytest.mark.parametrize("value", [math.nan, 7.0])
def test_a_missing_value_can_stand_still_too(value):
    watch = still_watch(0.1)
    assert [stale(watch, reading(t, value)) for t in (0, 1)] == [False, True]


def test_rare_polls_are_stale_after_three_of_them_and_not_at_the_first_equal_value():
    watch = still_watch(1.0, 5.0)
    assert [stale(watch, reading(t, 7.0)) for t in range(0, 30, 5)] == [False] * 4 + [True] * 2


def test_no_readings_are_not_stale():
    assert still_watch(1.0).mark([]) == []


def power_marks(watch: ReadingWatch, rows: list[tuple[float, float, float]]) -> list[Quality]:
    """Mark a poll a second of power, voltage and current; return the marks of power."""
    marks = []
    for t, (watts, volts, amperes) in enumerate(rows):
        poll = [reading(t, watts), reading(t, volts, "voltage"), reading(t, amperes, "current")]
        marks.append(watch.mark(poll)[0].quality)
    return marks


def test_power_that_stands_while_its_volt_amperes_move_is_stuck_after_three_updates():
    """300 W at 230 V; the current rises by 20 % and the register of power does not follow."""
    rows = [(300.0, 230.0, 1.304)] * 2 + [(300.0, 230.0 + t / 10, 1.565) for t in range(6)] + [(360.0, 230.0, 1.565)]
    marks = power_marks(ReadingWatch(IDENTITY, CHANNELS), rows)
    assert [bool(mark & Quality.STALE) for mark in marks] == [False] * 4 + [True] * 4 + [False]


def test_only_the_stuck_register_is_marked():
    watch = ReadingWatch(IDENTITY, CHANNELS)
    polls = [[reading(t, 300.0), reading(t, 230.0, "voltage"), reading(t, 1 + t, "current")] for t in range(6)]
    assert [item.quality for item in [watch.mark(poll) for poll in polls][-1]] == [Quality.STALE, 0, 0]


def test_a_fine_register_repeats_at_most_sixty_updates():
    """300.0 W in steps of 0.1 W: the voltage moves by its last digit, which explains nothing of power."""
    rows = [(300.0, 230.0 + t % 2 / 10, 1.304) for t in range(63)]
    marks = power_marks(ReadingWatch(IDENTITY, CHANNELS), rows)
    assert [t for t, mark in enumerate(marks) if mark] == [61, 62]


@pytest.mark.parametrize("step", [1.0, None])
def test_a_coarse_register_may_rest(step):
    channels = [replace(CHANNELS[0], resolution=step), *CHANNELS[1:]]
    rows = [(300.0, 230.0 + t % 2 / 10, 1.304) for t in range(200)]
    assert not any(power_marks(ReadingWatch(IDENTITY, channels), rows))


def test_nothing_taken_rests_rightly():
    rows = [(0.0, 230.0 + t % 2 / 10, 0.0) for t in range(200)]
    assert not any(power_marks(ReadingWatch(IDENTITY, CHANNELS), rows))


def test_the_model_s_own_rules_hold():
    identity = replace(IDENTITY, suspicion=Suspicion(still_updates=10))
    watch = ReadingWatch(identity, [])
    assert [stale(watch, reading(t, 100.0)) for t in range(12)] == [False] * 11 + [True]


ENERGY = Channel("energy", "energy", "Wh", Kind.COUNTER)


def counter_marks(watch: ReadingWatch, values: list[float]) -> list[Quality]:
    polls = [[reading(t, 100.0 + t), reading(t, value, "energy")] for t, value in enumerate(values)]
    return [watch.mark(poll)[1].quality for poll in polls]


def test_a_counter_that_goes_back_is_marked_once():
    watch = ReadingWatch(IDENTITY, [*CHANNELS, ENERGY])
    assert counter_marks(watch, [5000, 5001, 3, 4, 4, 5]) == [0, 0, Quality.INVALID, 0, 0, 0]


def test_a_roll_over_at_the_declared_end_is_none():
    watch = ReadingWatch(IDENTITY, [*CHANNELS, replace(ENERGY, wraps_at=10_000)])
    assert counter_marks(watch, [9998, 9999, 1, 2]) == [0, 0, 0, 0]
    assert counter_marks(watch, [3000, 0]) == [0, Quality.INVALID], "3000 Wh were lost, 7000 Wh not counted"


def test_a_counter_that_went_back_while_the_meter_was_away_shows_afterwards():
    memory = Memory()
    counter_marks(ReadingWatch(IDENTITY, [*CHANNELS, ENERGY], memory=memory), [5000])
    again = ReadingWatch(IDENTITY, [*CHANNELS, ENERGY], memory=memory)
    assert counter_marks(again, [3, 4]) == [Quality.INVALID, 0]


def test_a_device_that_comes_back_stuck_is_stale_from_its_first_reading():
    memory = Memory()
    before = ReadingWatch(IDENTITY, CHANNELS, memory=memory)
    assert not stale(before, reading(0, 300.0), reading(0, 230.0, "voltage"))
    again = ReadingWatch(IDENTITY, CHANNELS, memory=memory)
    assert stale(again, reading(10, 300.0), reading(10, 230.0, "voltage"))
    assert not stale(again, reading(11, 300.0), reading(11, 230.1, "voltage"))


def test_a_counter_that_is_cleared_does_not_show_that_the_device_is_alive():
    watch = ReadingWatch(IDENTITY, [*CHANNELS, ENERGY])
    polls = [[reading(t, 300.0), reading(t, 50.0 if t < 3 else 0.0, "energy")] for t in range(6)]
    assert [bool(watch.mark(poll)[0].quality & Quality.STALE) for poll in polls] == [False] * 4 + [True] * 2


def test_in_the_poll_of_its_recovery_only_what_changed_is_new():
    """Blocks are read one after another: the first may still be of the standstill."""
    watch = ReadingWatch(IDENTITY, CHANNELS)
    polls = [[reading(t, 300.0), reading(t, 230.0, "voltage")] for t in range(5)]
    assert stale(watch, *polls[0]) is False
    assert [stale(watch, *poll) for poll in polls[1:]] == [False] * 3 + [True]
    marks = [item.quality for item in watch.mark([reading(5, 300.0), reading(5, 231.0, "voltage")])]
    assert marks == [Quality.STALE, Quality.GOOD]
    assert not stale(watch, reading(6, 301.0), reading(6, 231.0, "voltage"))


def test_power_that_got_stuck_during_an_outage_does_not_fit_its_factor():
    memory = Memory()
    watch = ReadingWatch(IDENTITY, CHANNELS, memory=memory)

    def poll(t: float, watts: float) -> list[Reading]:
        values = {"power": watts, "voltage": 230.0, "current": 1.304, "power_factor": 0.99}
        return watch.mark([reading(t, value, channel) for channel, value in values.items()])

    assert poll(0, 297.0)[0].quality is Quality.GOOD
    assert poll(9, 201.0)[0].quality is Quality.STALE
    assert poll(18, 298.0)[0].quality is Quality.GOOD


def test_power_that_got_stuck_during_an_outage_is_doubted_until_it_moves_or_fits():
    watch = ReadingWatch(IDENTITY, CHANNELS)

    def power_mark(t: float, watts: float, amperes: float) -> Quality:
        values = {"power": watts, "voltage": 230.0, "current": amperes, "power_factor": 0.99}
        return watch.mark([reading(t, value, channel) for channel, value in values.items()])[0].quality

    power_mark(0, 297.0, 1.304)
    after_it = [power_mark(9 + t, 201.0, amperes) for t, amperes in enumerate((1.304, 1.52, 0.883, 0.89))]
    assert after_it == [Quality.STALE, Quality.STALE, Quality.GOOD, Quality.GOOD]
    power_mark(20, 250.0, 1.52)
    assert power_mark(21, 346.0, 1.52) is Quality.GOOD


def test_a_register_that_was_stuck_before_an_outage_is_stuck_after_it():
    memory = Memory()
    power_marks(ReadingWatch(IDENTITY, CHANNELS, memory=memory), [(300.0, 230.0, 1.304)])
    again = ReadingWatch(IDENTITY, CHANNELS, memory=memory)
    poll = [reading(9, 300.0), reading(9, 230.0, "voltage"), reading(9, 1.565, "current")]
    assert again.mark(poll)[0].quality is Quality.STALE


def test_the_first_reading_after_an_outage_counts_towards_a_standstill():
    watch = ReadingWatch(IDENTITY, CHANNELS)

    def power_mark(t: float, watts: float, amperes: float) -> Quality:
        values = {"power": watts, "voltage": 230.0, "current": amperes}
        return watch.mark([reading(t, value, channel) for channel, value in values.items()])[0].quality

    power_mark(0, 300.0, 1.304)
    assert power_mark(9, 200.0, 0.870) is Quality.GOOD
    after_it = [power_mark(9 + t, 200.0, 0.870 + 0.2 * t) for t in (1, 2, 3, 4)]
    assert after_it == [Quality.GOOD] * 3 + [Quality.STALE]


def test_power_beyond_the_range_in_use_is_a_lower_bound():
    watch = ReadingWatch(replace(IDENTITY, range_limit_w=260.0), CHANNELS)
    rows = [(259.0, 230.0, 1.2), (261.0, 230.0, 1.2)]
    assert power_marks(watch, rows) == [0, Quality.OVER_RANGE]


def test_a_bmc_s_coarse_sensors_may_stand_still_but_not_count_backwards():
    watch = ReadingWatch(replace(IDENTITY, indicative=True), [*CHANNELS, ENERGY])
    marks = [watch.mark([reading(t, 100.0), reading(t, 50.0 - t, "energy")]) for t in range(10)]
    assert not any(poll[0].quality for poll in marks)
    assert all(poll[1].quality is Quality.INVALID for poll in marks[1:])
