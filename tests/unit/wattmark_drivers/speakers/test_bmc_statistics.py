"""DCMI's least, greatest and mean power, worked out by hand; over a gap nothing is claimed."""

from __future__ import annotations

from dataclasses import dataclass

from wattmark_drivers.speakers.ipmi.bmc import _PowerStatistics

LONGEST_S = 4_294_967.295
"""The longest period that 4 bytes of milliseconds can say (DCMI 1.5, table 6-16)."""


@dataclass
class Clocks:
    """UTC, which somebody may set, and a clock that nobody sets."""

    utc_s: float = 100.0
    elapsed_s: float = 5000.0

    def pass_s(self, seconds: float) -> None:
        self.utc_s += seconds
        self.elapsed_s += seconds

    def statistics(self) -> _PowerStatistics:
        return _PowerStatistics(lambda: self.utc_s, lambda: round(self.elapsed_s * 1e9))


def test_statistics_begin_anew_after_a_gap():
    clocks = Clocks()
    statistics = clocks.statistics()
    lines = []
    for step_s, power_w in ((1, 100.0), (1, 200.0), (1, None), (50, None), (7, 400.0), (1, 500.0), (1, 70_000.0)):
        clocks.pass_s(step_s)
        lines.append(statistics.update(power_w))
    assert lines == [
        "100 100 100 100 101 1000\n",
        "200 100 200 150 102 2000\n",
        "\n",
        "\n",
        "400 400 400 400 160 0\n",
        "500 400 500 450 161 1000\n",
        "\n",
    ]


def test_a_reading_shown_twice_counts_once_and_keeps_its_time():
    clocks = Clocks()
    statistics = clocks.statistics()
    statistics.update(100.0, (101_000_000_000,))
    clocks.pass_s(2)
    statistics.update(400.0, (102_000_000_000,))
    clocks.pass_s(2)
    assert statistics.update(400.0, (102_000_000_000,)) == "400 100 400 250 102 4000\n"


def test_each_reading_of_one_of_two_meters_is_another_sum():
    """The second meter updates every 5 s: its stamp stands while the first one has its least and its greatest power."""
    clocks = Clocks()
    statistics = clocks.statistics()
    slow_ns = 100_000_000_000
    for second, power_w in enumerate((300.0, 250.0, 900.0, 350.0)):
        line = statistics.update(power_w, (slow_ns + second * 1_000_000_000, slow_ns))
        clocks.pass_s(1)
    assert line == "350 250 900 450 103 3000\n"


def test_a_clock_that_is_set_does_not_change_the_period():
    clocks = Clocks(utc_s=10_000.0)
    statistics = clocks.statistics()
    statistics.update(100.0)
    clocks.pass_s(10)
    clocks.utc_s -= 3600
    assert statistics.update(300.0) == "300 100 300 200 6410 10000\n"


def test_statistics_begin_anew_before_their_period_is_too_long_to_be_said():
    clocks = Clocks()
    statistics = clocks.statistics()
    statistics.update(100.0)
    clocks.pass_s(LONGEST_S)
    assert statistics.update(300.0).split()[1:4] == ["100", "300", "200"]
    clocks.pass_s(0.001)
    assert statistics.update(500.0) == f"500 500 500 500 {int(clocks.utc_s)} 0\n"
