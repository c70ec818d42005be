"""One sample per interval, as regular as the meter: time is the test's own."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from wattmark_drivers.speakers.ptdaemon.sample_grid import Observation, SampleGrid
from wattmark_drivers.speakers.ptdaemon.samples import MISSED

MS = 1_000_000
UTC_NS = 1_700_000_000_000 * MS


def run(grid: SampleGrid, readings_ms, values=None, trouble=None):
    """Feed readings at monotonic instants [ms]; return the samples."""
    samples = []
    for number, at_ms in enumerate(readings_ms):
        at_ns = round(at_ms * MS)
        group = (float(number if values is None else values[number]),) * 4
        samples += grid.take(at_ns, Observation(UTC_NS + at_ns, () if trouble else (group,), trouble))
    return samples


def new(interval_ms=1000, update_ms=1000, begun_ms=0):
    return SampleGrid(begun_ms * MS, interval_ms * MS, update_ms * MS, channels=1)


def stamps_ms(samples):
    return [(sample.t_ns - UTC_NS) / MS for sample in samples]


@pytest.mark.parametrize("phase_ms", [500, 510, 730, 990, 1000, 1250, 1490])
def test_each_reading_of_a_meter_that_updates_once_per_interval_is_one_sample(phase_ms):
    readings = [phase_ms + 1000 * n for n in range(3600)]
    samples = run(new(), readings)
    assert [sample.groups[0][0] for sample in samples] == [float(n) for n in range(3600)]
    assert {sample.outcome for sample in samples} == {"good"}
    assert stamps_ms(samples) == pytest.approx(readings, abs=0.1)


@pytest.mark.parametrize("update_ms", [990, 999.9, 1000.1, 1010])
def test_none_is_lost_where_the_clock_of_the_meter_differs(update_ms):
    readings = [600 + update_ms * n for n in range(3600)]
    samples = run(new(), readings)
    assert len(samples) == 3600
    assert {sample.outcome for sample in samples} == {"good"}


def test_a_sample_averages_the_readings_of_its_interval():
    """Four updates of 250 ms each: readings 4 to 7, 8 to 11, 12 to 15 follow those of the first second."""
    readings = [200 + 250 * n for n in range(40)]
    samples = run(new(update_ms=250), readings)
    assert [sample.groups[0][0] for sample in samples[1:4]] == [5.5, 9.5, 13.5]
    assert stamps_ms(samples)[1:4] == [1950.0, 2950.0, 3950.0]


def test_the_doubt_of_stamps_is_smoothed():
    """Stamps that are up to 25 ms off by the query for the update become a grid that is 1 s wide within 5 ms."""
    noise = random.Random(1)
    readings = [700 + 1000 * n + noise.uniform(-25, 25) for n in range(3600)]
    stamps = stamps_ms(run(new(), readings))[60:]
    errors = sorted(abs(after - before - 1000) for before, after in itertools.pairwise(stamps))
    assert errors[int(0.99 * len(errors))] <= 5
    assert max(abs(stamp - 700 - 1000 * n) for n, stamp in enumerate(stamps, 60)) < 25


def test_what_does_not_come_is_missed_and_never_made_up():
    grid = new()
    samples = run(grid, [1000, 2000])
    assert grid.missed(4000 * MS, UTC_NS + 4000 * MS) == []
    missed = grid.missed(6001 * MS, UTC_NS + 6001 * MS)
    assert {(sample.outcome, sample.groups) for sample in missed} == {("missed", ((MISSED,) * 4,))}
    assert stamps_ms(samples + missed) == [1000, 2000, 3000, 4000, 5000]
    assert [sample.outcome for sample in run(grid, [6200])] == ["good"]


def test_missed_samples_come_before_the_reading_that_ends_a_gap():
    samples = run(new(), [1000, 2000, 3000, 4000, 8000])
    assert [sample.outcome for sample in samples] == ["good"] * 4 + ["missed"] * 3 + ["good"]
    assert samples[-1].groups[0][0] == 4.0
    assert stamps_ms(samples) == [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000]


def test_one_reading_beyond_the_range_spoils_its_sample():
    grid = new(update_ms=500)
    grid.take(600 * MS, Observation(UTC_NS, trouble="over-range"))
    (sample,) = grid.take(1000 * MS, Observation(UTC_NS, ((1.0,) * 4,)))
    assert sample.outcome == "over-range"
    assert all(map(math.isnan, sample.groups[0]))


def test_an_error_between_good_readings_leaves_their_mean():
    grid = new(update_ms=250)
    grid.take(500 * MS, Observation(UTC_NS, ((4.0,) * 4,)))
    grid.take(750 * MS, Observation(UTC_NS, trouble="error"))
    (sample,) = grid.take(1000 * MS, Observation(UTC_NS, ((6.0,) * 4,)))
    assert (sample.outcome, sample.groups[0][0]) == ("good", 5.0)


def test_a_column_that_one_reading_lacks_is_that_of_the_others():
    grid = new(update_ms=500)
    grid.take(600 * MS, Observation(UTC_NS, ((4.0, math.nan, 1.0, 0.5),)))
    (sample,) = grid.take(1000 * MS, Observation(UTC_NS, ((6.0, 230.0, 3.0, 0.7),)))
    assert sample.groups == ((5.0, 230.0, 2.0, pytest.approx(0.6)),)


def test_what_was_measured_before_go_is_no_sample():
    """A reading at 300 ms averages the second before it, most of which was before Go."""
    samples = run(new(begun_ms=1000), [300, 1300, 2300])
    assert [sample.groups[0][0] for sample in samples] == [2.0]


def test_a_meter_that_is_polled_at_random_places_of_each_second_misses_nothing():
    places = random.Random(2)
    readings = [1000 * n + places.uniform(0, 1000) for n in range(1, 2000)]
    samples = run(new(), readings)
    missed = sum(sample.outcome == "missed" for sample in samples)
    assert missed <= 0.01 * len(readings)
    assert len(samples) >= 0.95 * len(readings)


def test_what_comes_after_the_end_of_its_sample_enters_no_other_one():
    """Readings of 4 to 6 s come at 9 s in one go: their samples were missed, and the one of 9 s is its own reading."""
    grid = new()
    run(grid, [1000, 2000, 3000])
    assert [sample.outcome for sample in grid.missed(9000 * MS, UTC_NS + 9000 * MS)] == ["missed"] * 4
    backlog = run(grid, [4000, 5000, 6000, 8000, 9000], values=[70.0, 80.0, 90.0, 1.0, 2.0])
    assert [(sample.outcome, sample.groups[0][0]) for sample in backlog] == [("good", 1.0), ("good", 2.0)]
    assert grid.late == 3


def test_a_backlog_that_is_in_time_is_put_into_its_own_samples():
    """Four readings of each of two seconds come together, half a second late."""
    grid = new(update_ms=250)
    run(grid, [250, 500, 750, 1000])
    samples = run(grid, [1250, 1500, 1750, 2000, 2250, 2500, 2750, 3000], values=[1, 2, 3, 4, 5, 6, 7, 8])
    assert [sample.groups[0][0] for sample in samples] == [2.5, 6.5]
    assert grid.late == 0


def test_what_was_measured_before_go_is_not_late():
    grid = new(begun_ms=1000)
    run(grid, [300, 1300])
    assert grid.late == 0
