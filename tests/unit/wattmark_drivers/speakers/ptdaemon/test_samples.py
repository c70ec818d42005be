"""What a client has read, and what the log holds, against the logs of real daemons."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.importers.ptdaemon.ptdaemon_line import parse_line
from wattmark_drivers.speakers.ptdaemon.samples import COLUMNS, Measurement, Sample, Unread, add_up
from wattmark_drivers.speakers.ptdaemon.words import log_line, stamp

PUBLISHED = Path(__file__).parents[6] / "shared/data/mlperf-power-v1.0"


def test_our_log_lines_are_those_of_real_daemons():
    """Every line of the published logs, read by the importer and written by the daemon, is itself again."""
    if not PUBLISHED.is_dir():
        pytest.skip("the published results are not there (../shared)")
    count = 0
    for log in sorted(PUBLISHED.rglob("spl.txt")):
        for line in log.read_text("ascii").splitlines():
            parsed = parse_line(line)
            groups = (tuple(parsed.total[name] for name in COLUMNS),)
            assert log_line(Sample(parsed.t_ns, groups), parsed.mark or "") == line
            count += 1
    assert count > 8000


def test_a_stamp_is_rounded_to_the_millisecond():
    """1615884838 s is 2021-03-16 08:53:58 UTC; half a millisecond before the next second rounds up into it."""
    assert stamp(1_615_884_838_190_000_000) == "03-16-2021 08:53:58.190"
    assert stamp(1_615_884_838_999_500_000) == "03-16-2021 08:53:59.000"


def test_the_sum_channel_adds_watts_and_averages_the_rest():
    assert add_up([(100.0, 230.0, 1.0, 0.9), (50.0, 232.0, 3.0, 0.7)]) == (150.0, 231.0, 2.0, pytest.approx(0.8))


@given(st.lists(st.one_of(st.just("sample"), st.integers(1, 4), st.none()), max_size=60))
def test_every_sample_is_read_exactly_once(steps):
    """Whatever a client asks for in whatever order: no sample twice, none lost, newest first where it asks for few."""
    measurement, unread = Measurement(1000, 0, "m", 1), Unread()
    taken: list[int] = []
    for step in steps:
        if step == "sample":
            number = len(measurement)
            measurement.add(Sample(number, ((float(number),) * 4,)), [None])
            continue
        waiting = sorted(set(range(len(measurement))) - set(taken))
        assert unread.count(measurement) == len(waiting)
        numbers = [sample.t_ns for sample in unread.take(measurement, step)]
        assert numbers == (waiting[-step:] if step else waiting)
        taken += numbers
    taken += [sample.t_ns for sample in unread.take(measurement)]
    assert sorted(taken) == list(range(len(measurement)))


def test_a_new_measurement_is_unread_from_its_beginning():
    unread = Unread()
    for _ in range(2):
        measurement = Measurement(1000, 0, "m", 1)
        measurement.add(Sample(5, ((1.0,) * 4,)), [None])
        assert [sample.t_ns for sample in unread.take(measurement)] == [5]


def test_half_a_million_samples_take_little_memory():
    """40 bytes a sample of one channel: a stamp and four values of 8 bytes."""
    measurement = Measurement(1000, 0, "m", 1)
    sample = Sample(1, ((1.0,) * 4,))
    for _ in range(1000):
        measurement.add(sample, [None])
    buffers = measurement._t_ns.buffer_info()[1] * 8 + measurement._values.buffer_info()[1] * 8
    assert buffers == 40_000
