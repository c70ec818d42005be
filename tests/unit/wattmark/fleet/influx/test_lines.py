"""Line protocol as InfluxDB's documents define it, and floats that are read back bit for bit."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.fleet.influx.lines import sample_lines, stored_tag, tagged
from wattmark.store.columns import make_samples
from wattmark.store.outbox.outbox_types import SampleSlice
from wattmark.store.sample_store import SeriesKey

KEY = SeriesKey("r1", "alpha", "wall", "power", "power", "W", "averaged")


def sample_slice(t_ns, value, quality=None, u_t_s=None, *, part=0, repeats=None, key=KEY) -> SampleSlice:
    samples = make_samples(t_ns, value, quality, u_t_s)
    return SampleSlice(key, part, samples, np.zeros(len(samples), np.int64) if repeats is None else np.asarray(repeats))


def test_a_good_sample_is_one_field():
    assert sample_lines(sample_slice([17, 18], [300.25, -0.0]), "Lab 1") == [
        "wattmark,run=r1,server=alpha,source=wall,channel=power,lab=Lab\\ 1 value=300.25 17",
        "wattmark,run=r1,server=alpha,source=wall,channel=power,lab=Lab\\ 1 value=-0.0 18",
    ]


def test_what_is_not_zero_is_written_beside_the_value():
    begin = "wattmark,run=r1,server=alpha,source=wall,channel=power,lab=Lab\\ 1 "
    assert sample_lines(
        sample_slice([5, 5, 9], [1.0, 2.0, 3.0], [0, 16, 0], [0.5, 0.5, 0.25], repeats=[0, 1, 0]), "Lab 1"
    ) == [
        f"{begin}value=1.0,u_t_s=0.5 5",
        f"{begin}value=2.0,quality=16.0,u_t_s=0.5,later_ns=1.0 6",
        f"{begin}value=3.0,u_t_s=0.25 9",
    ]
    assert sample_lines(sample_slice([5], [1.0], part=2), "Lab 1") == [
        f"{begin}value=1.0,later_ns=2000.0,part=2.0 2005"
    ]


def test_a_simulated_sample_says_so_beside_its_value():
    key = SeriesKey("r1", "alpha", "wall", "power", "power", "W", "averaged", simulated=True)
    for line in sample_lines(sample_slice([17, 18], [300.25, 0.5], [0, 1], key=key), "Lab 1"):
        assert ",simulated=1.0 " in line


@pytest.mark.parametrize(("value", "number"), [(math.nan, 0), (math.inf, 1), (-math.inf, -1)])
def test_what_line_protocol_does_not_have_is_told_by_a_number(value, number):
    assert sample_lines(sample_slice([1], [value]), "Lab 1")[0].endswith(f" not_finite={number} 1")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_written_float_is_read_back_bit_for_bit(value):
    text = sample_lines(sample_slice([1], [value]), "Lab 1")[0].split("value=")[1].split(" ")[0]
    assert struct.pack("<d", float(text)) == struct.pack("<d", value)


def test_tags_are_escaped_as_line_protocol_asks():
    """Commas, equal signs and spaces by a backslash: InfluxDB 1.8, "Line protocol reference: special characters"."""
    tags = {"run": "a b", "server": "c,d", "source": "e=f", "channel": "ü"}
    assert tagged("m", tags) == "m,run=a\\ b,server=c\\,d,source=e\\=f,channel=ü "


@given(st.text())
def test_no_tag_can_end_its_line_or_its_field(text):
    tag = stored_tag(text)
    assert tag
    assert "\n" not in tag
    assert "\\" not in tag


def test_a_measurement_may_have_any_tags():
    assert tagged("m", {"lab": "Lab 1", "level": ""}) == "m,lab=Lab\\ 1,level=none "


@given(st.text(alphabet="a_\\\n\t", max_size=4), st.text(alphabet="a_\\\n\t", max_size=4))
def test_names_that_differ_in_a_sign_that_is_lost_stay_two_series(first, second):
    assert (stored_tag(first) == stored_tag(second)) == (first == second)
