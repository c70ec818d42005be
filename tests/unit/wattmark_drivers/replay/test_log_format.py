"""The format of recorded logs: what is written reads back, and nothing else is taken for a value."""

from __future__ import annotations

import contextlib
import csv
import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.reading import Channel, Kind, Quality
from wattmark_drivers.replay.log_format import ReplayRow, format_head, format_rows, parse_head, parse_row

POWER = Channel("power", "power", "W", Kind.AVERAGED, "True power", 0.1)
CHANNELS = {"power": POWER}
LINE = "1615885514265000000,power,power,W,431.0,0\n"


def test_a_line():
    assert parse_row(LINE, CHANNELS) == ReplayRow(1615885514265000000, "power", 431.0, Quality.GOOD)


@pytest.mark.parametrize("text", ["", "nan", "NaN", "inf", "-inf", "1e999"])
def test_what_is_no_number_is_invalid(text):
    row = parse_row(LINE.replace("431.0", text), CHANNELS)
    assert math.isnan(row.value)
    assert row.quality is Quality.INVALID


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (LINE[:20], "fields"),
        (LINE[:-2], "whole number"),
        ("", "0 fields"),
        (LINE.replace("W", "kW"), "channel"),
        (LINE.replace("power,power", "energy,power"), "channel"),
        (LINE.replace("431.0", "431,0"), "7 fields"),
        (LINE.replace("431.0", "4x1"), "a value that is not a number"),
        (LINE.replace("431.0", "१"), "a value that is not a number"),
        (LINE.replace(",0\n", ",65535\n"), "unknown quality"),
        (LINE.replace(",0\n", ",-1\n"), "whole number"),
        (LINE.replace("1615", "-1615"), "whole number"),
        ("9" * 40 + LINE, "whole number"),
        ('"' + LINE, "CSV"),
        ("\0" + LINE, "whole number"),
    ],
)
def test_torn_lines_are_refused(line, words):
    with pytest.raises(ValueError, match=words):
        parse_row(line, CHANNELS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "before its first value"),
        ("t_ns,power\n", "Line 1"),
        ("# wattmark log 1\nt_ns,channel,quantity,unit,value,quality\n", "no channel"),
        ("# wattmark log 1\n# channel,power,power,W,mean,,\n", "Line 2 .* not a channel"),
        ("# wattmark log 1\n# channel,power,power,W,averaged,-1,\n", "Line 2 .* not a channel"),
        ("# wattmark log 1\n" + "# channel,power,power,W,averaged,,\n" * 2, "Line 3 .* repeats"),
        ("# wattmark log 1\nnoise\n", "Line 2"),
        ("# wattmark log 1\n# channel,power,power,W,averaged,,\n", "before its first value"),
    ],
)
def test_wrong_heads_name_their_line(text, words):
    with pytest.raises(ValueError, match=words):
        parse_head(io.StringIO(text))


IDS = st.from_regex(r"[A-Za-z0-9_.:-]{1,20}", fullmatch=True)
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), max_size=30)
WORDS = st.from_regex(r"[A-Za-z°%/]{1,10}", fullmatch=True)
CHANNEL = st.builds(
    Channel, IDS, WORDS, WORDS, st.sampled_from(Kind), TEXT, st.none() | st.floats(1e-9, 1e6)
)  # fmt: skip


@given(TEXT, st.lists(CHANNEL, min_size=1, max_size=5, unique_by=lambda channel: channel.id))
def test_any_head_reads_back(source, channels):
    head, lines = parse_head(io.StringIO(format_head(source, channels)))
    assert lines == 3 + len(channels)
    assert head.source == " ".join(source.split())
    for read, written in zip(head.channels, channels, strict=True):
        assert (read.id, read.quantity, read.unit, read.kind) == (
            written.id, written.quantity, written.unit, written.kind,
        )  # fmt: skip
        assert (read.resolution, read.label) == (written.resolution, " ".join(written.label.split()))


@given(st.integers(0, 2**63 - 1), st.floats(), st.integers(0, 127).map(Quality))
def test_any_value_reads_back_to_the_same_number(t_ns, value, quality):
    line = format_rows(POWER, [t_ns], [value], [int(quality)])[0]
    assert len(next(csv.reader([line]))) == 6
    row = parse_row(line, CHANNELS)
    assert (row.t_ns, row.quality & quality) == (t_ns, quality)
    if math.isfinite(value):
        assert (row.value, row.quality) == (value, quality)
    else:
        assert math.isnan(row.value)
        assert row.quality & Quality.INVALID


@given(st.text() | st.from_regex(r"[0-9]{1,20},power,power,W,[0-9.e+-]{0,9},[0-9]{1,5}\n?", fullmatch=True))
def test_any_line_is_a_value_or_an_error(line):
    with contextlib.suppress(ValueError):
        row = parse_row(line, CHANNELS)
        assert math.isfinite(row.value) or row.quality & Quality.INVALID


@given(st.text() | st.text(max_size=60).map(lambda text: f"# wattmark log 1\n{text}"))
def test_any_text_is_a_head_or_an_error(text):
    with contextlib.suppress(ValueError):
        assert parse_head(io.StringIO(text))[0].channels
