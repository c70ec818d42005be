"""Cycles that a device counts or times: what is missing is told, what wraps or begins anew is not a loss."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.scpi_query import AnswerField, Fresh, FreshBy
from wattmark_drivers.reading import Kind, Quality
from wattmark_drivers.scpi.answer import Value, moment_s
from wattmark_drivers.scpi.fresh import Cycles
from wattmark_drivers.scpi.request import added_up

COUNT = AnswerField(channel="n", quantity="count", unit="1", label="n", kind=Kind.COUNTER, wraps_at=65536)
CLOCK = AnswerField(channel="t", quantity="time", unit="s", label="t", kind=Kind.COUNTER)
SPAN = AnswerField(channel="d", quantity="duration", unit="s", label="d")


def push(channel: str, span: str = "") -> Fresh:
    return Fresh(by=FreshBy.PUSH, start="cont on", stop="cont off", channel=channel, span=span)


def good(field: AnswerField, value: float, quality: Quality = Quality.GOOD) -> Value:
    return Value(field, value, quality)


@pytest.mark.parametrize(
    ("counts", "lost"),
    [
        ([1, 2, 3], [0, 0, 0]),
        ([1, 3, 4, 9], [0, 1, 0, 4]),
        ([65534, 65535, 0, 1], [0, 0, 0, 0]),
        ([65535, 1], [0, 1]),
        ([65530, 4], [0, 9]),
        ([100, 1, 2], [0, 0, 0]),
        ([40_000, 0, 1], [0, 0, 0]),
        ([7, 7], [0, 0]),
    ],
)
def test_counted_cycles(counts: list[int], lost: list[int]) -> None:
    cycles = Cycles(push("n"))
    assert [cycles.lost([good(COUNT, float(count))]) for count in counts] == lost


def test_timed_cycles() -> None:
    """The times of the LMG670 in cuveland/lmgtools, example/lmg670.log; the third is taken out in the second run."""
    times = (55.437817, 55.937918, 56.438020, 56.938122)
    for stamps, expected in ((times, [0, 0, 0, 0]), ((*times[:2], times[3]), [0, 0, 1])):
        cycles = Cycles(push("t", "d"))
        assert [cycles.lost([good(CLOCK, clock_s), good(SPAN, 0.500101824)]) for clock_s in stamps] == expected


def test_a_line_that_was_dropped_as_unreadable_is_not_told_twice() -> None:
    cycles = Cycles(push("n"))
    cycles.lost([good(COUNT, 1)])
    cycles.skip()
    assert cycles.lost([good(COUNT, 3)]) == 0
    assert cycles.lost([good(COUNT, 5)]) == 1


def test_a_device_that_pushes_without_a_count_tells_no_loss() -> None:
    cycles = Cycles(push(""))
    assert [cycles.lost([good(SPAN, 0.5)]) for _ in range(3)] == [0, 0, 0]


def test_the_clock_of_an_lmg670() -> None:
    """2015-01-21T17:20:55Z is 1421860855 s after 1970 (date -u -d 2015-01-21T17:20:55Z +%s)."""
    assert moment_s("2015:01:21D17:20:55.437817000+0000") == pytest.approx(1421860855.437817, abs=1e-6)
    assert moment_s("2015:01:21D18:20:55.437817000+0100") == pytest.approx(1421860855.437817, abs=1e-6)
    assert moment_s("2015:13:21D17:20:55.437817000+0000") is None


@given(
    st.one_of(st.text(max_size=40), st.from_regex(r"\d{4}:\d\d:\d\dD\d\d:\d\d:\d\d\.\d{1,9}[+-]\d{4}", fullmatch=True))
)
def test_any_text_is_a_moment_or_none(text: str) -> None:
    moment = moment_s(text)
    assert moment is None or isinstance(moment, float)


def test_a_sum_carries_the_doubts_of_its_parts() -> None:
    table = load_catalogue()["hioki.pw3336"].protocol
    fields = {field.channel: field for field in table.measured if isinstance(field, AnswerField)}
    first, two = fields["power_ch1"], fields["power_ch2"]
    assert added_up(fields["power"], [good(first, 100.0), good(two, 50.5)]) == good(fields["power"], 150.5)
    assert added_up(fields["power"], [good(first, 100.0)]).value == 100.0
    over = Quality.INVALID | Quality.OVER_RANGE
    assert added_up(fields["power"], [good(first, 100.0), good(two, float("nan"), over)]).quality == over
    assert added_up(fields["power"], []).quality is Quality.INVALID
    assert added_up(fields["power"], [good(first, 3e5)]).quality is Quality.IMPLAUSIBLE
