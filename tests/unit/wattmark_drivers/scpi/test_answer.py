"""Answers and messages: what the manuals print, and anything else."""

import math
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.scpi_query import Encoding
from wattmark_drivers.errors import BadReply
from wattmark_drivers.reading import Quality
from wattmark_drivers.scpi.agreement import belong_together
from wattmark_drivers.scpi.answer import AnswerPlace, Value, decode, plain
from wattmark_drivers.scpi.dialogue import is_identification
from wattmark_drivers.scpi.framing import Frames
from wattmark_drivers.scpi.setup import place_fields

TABLE = load_catalogue()["yokogawa.wt310e"].protocol
QUERY = TABLE.queries[0]
PLACES = place_fields(QUERY, (1,), integrating=False)
GOOD = b"612.51E+00,230.12E+00,2.7201E+00,625.95E+00,128.9E+00,978.5E-03,49.980E+00,325.4E+00,4.012E+00"


def powers(data: bytes) -> Value:
    return decode(TABLE, QUERY, PLACES, data)[0]


def test_numbers_of_the_manual() -> None:
    """IM WT310E-17EN 5.4: NR3; WT3001E-17EN 6-97: NAN or 9.91E+37 for no data, INF or 9.9E+37 for over-range."""
    values = {item.field.channel: item.value for item in decode(TABLE, QUERY, PLACES, GOOD)}
    assert (values["power"], values["power_factor"], values["frequency"]) == (612.51, 0.9785, 49.98)
    for text, quality in (
        (b"NAN", Quality.INVALID),
        (b"9.91E+37", Quality.INVALID),
        (b"INF", Quality.INVALID | Quality.OVER_RANGE),
        (b"9.9E+37", Quality.INVALID | Quality.OVER_RANGE),
        (b"99999", Quality.IMPLAUSIBLE),
    ):
        power = powers(GOOD.replace(b"612.51E+00", text))
        assert power.quality == quality
        assert math.isnan(power.value) == bool(quality & Quality.INVALID)


def test_what_is_infinite_without_a_range_is_only_invalid() -> None:
    values = decode(TABLE, QUERY, PLACES, GOOD.replace(b"978.5E-03", b"INF"))
    assert next(item.quality for item in values if item.field.channel == "power_factor") is Quality.INVALID


@pytest.mark.parametrize(
    "wrong",
    [b"", b"1,2,3", GOOD + b",1", GOOD[:-9], GOOD.replace(b"E", b"O", 1), GOOD.replace(b"612.51", b"6 12.51"),
     GOOD.replace(b",", b";"), b"\xff" + GOOD, GOOD.replace(b"612.51E+00", b"0x10"),
     GOOD.replace(b"612.51E+00", b"1_0"), GOOD.replace(b"612.51E+00", b"")],
)  # fmt: skip
def test_what_is_not_the_declared_form_is_dropped(wrong: bytes) -> None:
    with pytest.raises(BadReply):
        powers(wrong)


@given(st.binary(max_size=200))
@example(GOOD)
@example(b"#18\x00")
@example(b"#9" + b"9" * 9)
def test_any_bytes_are_a_bad_reply_or_values_with_a_quality(data: bytes) -> None:
    for encoding in Encoding:
        query = QUERY.model_copy(update={"encoding": encoding})
        try:
            values = decode(TABLE, query, PLACES, data)
        except BadReply:
            continue
        for item in values:
            low, high = item.field.limits or (-math.inf, math.inf)
            assert math.isnan(item.value) == bool(item.quality & Quality.INVALID)
            assert item.quality & (Quality.INVALID | Quality.IMPLAUSIBLE) or low <= item.value <= high


@given(
    st.lists(
        st.floats(width=32, allow_nan=False, min_value=-1, max_value=1), min_size=len(PLACES), max_size=len(PLACES)
    )
)
def test_a_block_of_floats(numbers: list[float]) -> None:
    """IM WT310E-17EN 5.4: #, number of digits, number of bytes, then 4-byte floats."""
    body = struct.pack(f">{len(numbers)}f", *numbers)
    query = QUERY.model_copy(update={"encoding": Encoding.FLOAT32})
    values = decode(TABLE, query, PLACES, b"#4%04d%s" % (len(body), body))
    assert [item.value for item in values] == numbers


def test_named_numbers_are_checked_by_their_names() -> None:
    """Hioki PW3335 communication command manual: `U +230.12E+0;I ...`."""
    fields = tuple(
        place.field.model_copy(update={"name": name}) for place, name in zip(PLACES[:2], ("P", "U"), strict=True)
    )
    query = QUERY.model_copy(update={"named": True, "separator": ";", "fields": fields})
    places = [AnswerPlace(field, field.item, n) for n, field in enumerate(fields)]
    assert [item.value for item in decode(TABLE, query, places, b"P +612.51E+0;U +230.12E+0")] == [612.51, 230.12]
    for wrong in (b"U +230.12E+0;P +612.51E+0", b"P 1", b"P 1;U", b"1;2"):
        with pytest.raises(BadReply):
            decode(TABLE, query, places, wrong)


@given(st.lists(st.binary(min_size=1, max_size=20).filter(lambda b: b"\n" not in b and b"\r" not in b)), st.randoms())
def test_lines_come_out_however_they_are_cut(lines: list[bytes], cut: object) -> None:
    stream, frames, received = b"".join(line + b"\r\n" for line in lines), Frames(b"\n"), []
    while stream:
        size = cut.randint(1, len(stream))  # type: ignore[attr-defined]
        frames.feed(stream[:size])
        stream = stream[size:]
        while (line := frames.take()) is not None:
            received.append(line)
    assert received == lines


@given(st.binary(max_size=40), st.integers(1, 9))
def test_a_block_may_contain_line_ends(body: bytes, step: int) -> None:
    message = b"#3%03d%s" % (len(body), body)
    frames, stream, received = Frames(b"\n"), message + b"\n1.0\n", []
    for start in range(0, len(stream), step):
        frames.feed(stream[start : start + step])
        if not received and (block := frames.take(block=True)) is not None:
            received.append(block)
    assert received == [message]
    assert frames.take() == b"1.0"


@given(st.binary(max_size=64))
def test_no_bytes_upset_the_framing(data: bytes) -> None:
    frames = Frames(b"\n")
    frames.feed(data)
    for block in (True, False):
        while frames.take(block=block) is not None:
            pass


def test_too_much_without_an_end_is_dropped() -> None:
    frames = Frames(b"\n")
    with pytest.raises(BadReply):
        frames.feed(b"x" * 70000)
    frames.feed(b"1\n")
    assert frames.take() == b"1"


@pytest.mark.parametrize(
    ("text", "bare"), [(":INP:CFAC 3", "3"), ("3", "3"), (":NUM:NORM:ITEM1 P,1", "P,1"), ("P 1", "P 1")]
)
def test_a_header_before_an_answer_is_taken_off(text: str, bare: str) -> None:
    assert plain(text) == bare


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("YOKOGAWA,WT333E,C2WC23035V,F1.04", True), ("NAN,NAN,NAN,NAN", False), ("1.0,2.0,3.0,4.0", False), ("0", False)],
)
def test_an_identification_is_told_from_late_numbers(text: str, is_one: bool) -> None:
    assert is_identification(text) is is_one


def test_every_changed_digit_of_an_exponent_or_a_leading_digit_is_noticed() -> None:
    """Power, voltage, current, apparent power and factor vouch for each other: x10, /10 and a doubled value show."""
    values = decode(TABLE, QUERY, PLACES, GOOD)
    assert belong_together(values)
    for channel in ("power", "voltage", "current", "apparent_power", "power_factor"):
        for factor in (0.1, 0.5, 2.0, 10.0):
            spoilt = [
                Value(item.field, item.value * factor, item.quality) if item.field.channel == channel else item
                for item in values
            ]
            assert not belong_together(spoilt), (channel, factor)
