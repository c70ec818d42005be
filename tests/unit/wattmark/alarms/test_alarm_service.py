"""The limits of a bench: which readings they watch, what is told, and what another bench changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from wattmark.alarms.log import AlarmLog
from wattmark.alarms.service import KEPT, AlarmService
from wattmark.bench.bench import Bench
from wattmark.bench.load import parse_bench
from wattmark.bench.yaml_source import YamlSource
from wattmark.core.errors import WattmarkError
from wattmark.results.data_folder import Storage
from wattmark_drivers.reading import Kind, Quality, Reading

from tests.set_clock import SetClock
from tests.stored_run import S

BENCH = """\
schema: wattmark-bench/1
lab: Lab
meters:
  - id: wall
    model: eastron.sdm120
    url: modbus-tcp://192.0.2.1/1
    alarms: [{rules}]
"""
OVER_300 = "{channel: power, high: 300}"


def bench(rules: str) -> Bench:
    """Read a bench whose one meter has these limits."""
    return parse_bench(YamlSource("bench.yaml", BENCH.format(rules=rules)), Path("bench.yaml"))


class Room:
    """An alarm room whose bench can be changed, fed with one reading a second."""

    def __init__(self, rules: str, storage: Storage) -> None:
        self.bench = bench(rules)
        self.simulated: set[str] = set()
        log = AlarmLog(storage.alarms, SetClock(1000 * S))
        self.room = AlarmService(lambda: self.bench, log, lambda source: source in self.simulated)
        self.t_s = 0

    def feed(self, values: Sequence[float], channel: str = "power", quality: Quality = Quality.GOOD) -> None:
        for value in values:
            self.room.take("wall", [Reading(channel, value, "W", self.t_s * 10**9, 0, Kind.AVERAGED, quality=quality)])
            self.t_s += 1

    def alarms(self) -> list[tuple[str, float, float | None, float]]:
        return [(alarm.side, alarm.begin_s, alarm.end_s, alarm.worst) for alarm in self.room.alarms()]


@pytest.fixture
def make_room(storage: Storage) -> Callable[[str], Room]:
    return lambda rules: Room(rules, storage)


def test_only_the_channel_that_has_a_limit_is_watched(make_room: Callable[[str], Room]) -> None:
    room = make_room(OVER_300)
    room.feed([400], channel="voltage")
    room.room.take("other", [Reading("power", 400.0, "W", 0, 0, Kind.AVERAGED)])
    assert room.alarms() == []
    room.feed([301, 310])
    assert room.alarms() == [("high", 1.0, None, 310.0)]


def test_an_alarm_of_a_simulated_meter_says_so_for_good(make_room: Callable[[str], Room]) -> None:
    room = make_room(OVER_300)
    room.feed([301, 200])
    room.simulated = {"wall"}
    room.feed([302, 200])
    assert [(alarm.begin_s, alarm.simulated) for alarm in room.room.alarms()] == [(2.0, True), (0.0, False)]


def test_a_reading_over_its_range_is_at_least_what_it_says(make_room: Callable[[str], Room]) -> None:
    room = make_room(OVER_300)
    room.feed([310], quality=Quality.OVER_RANGE)
    assert room.alarms() == [("high", 0.0, None, 310.0)]
    room.feed([float("nan")], quality=Quality.OVER_RANGE | Quality.INVALID)
    assert room.alarms() == [("high", 0.0, None, 310.0)]


def test_what_goes_on_comes_before_what_is_over(make_room: Callable[[str], Room]) -> None:
    room = make_room("{channel: power, low: 10, high: 300}")
    room.feed([5, 50, 301, 400])
    assert room.alarms() == [("high", 2.0, None, 400.0), ("low", 0.0, 1.0, 5.0)]
    assert (room.room.alarms()[0].limit, room.room.alarms()[0].unit) == (300.0, "W")


def test_an_unusable_reading_raises_no_alarm(make_room: Callable[[str], Room]) -> None:
    room = make_room(OVER_300)
    room.feed([65535.0], quality=Quality.INVALID)
    room.feed([float("nan")])
    assert room.alarms() == []


def test_an_alarm_goes_on_through_a_change_elsewhere_and_ends_with_its_limit(make_room: Callable[[str], Room]) -> None:
    room = make_room(OVER_300)
    room.feed([301])
    room.bench = bench(f"{OVER_300}, {{channel: voltage, low: 200}}")
    room.feed([302])
    assert room.alarms() == [("high", 0.0, None, 302.0)]
    room.bench = bench("{channel: power, high: 500}")
    room.feed([303])
    assert room.alarms() == []


def test_only_so_many_are_remembered(make_room: Callable[[str], Room]) -> None:
    room = make_room(OVER_300)
    room.feed([301, 1] * (KEPT + 5))
    assert len(room.alarms()) == KEPT
    assert room.alarms()[0][1] == 2 * (KEPT + 4), "the newest are kept"


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("{channel: power}", "a low limit, a high limit or both"),
        ("{channel: power, low: 300, high: 100}", "a high limit above the low limit"),
        ("{channel: power, low: 0, high: 10, hysteresis: 10}", "by more than the hysteresis"),
        ("{channel: power, high: 1, hold_s: -1}", "hold_s"),
    ],
)
def test_a_rule_that_says_nothing_is_refused_in_words(rule: str, message: str) -> None:
    with pytest.raises(WattmarkError, match=message):
        bench(rule)
