"""Blocks of registers become values; what is not a value is marked."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.modbus_map import ModbusMap, Register, RegisterBlock, RegisterType, WordOrder
from wattmark_drivers.modbus.layout import lay_out
from wattmark_drivers.reading import Quality


def register(kind: str, address: int = 0, **more) -> Register:
    return Register(channel="x", quantity="power", unit="W", label="", address=address, type=RegisterType(kind), **more)


def decode(item: Register, words: list[int], order: WordOrder = WordOrder.HIGH_FIRST):
    ((value, quality),) = lay_out(RegisterBlock(address=0, count=len(words)), [item], order).decode(
        struct.pack(f">{len(words)}H", *words)
    )
    return value, quality


def test_volts_of_the_makers_example():
    # Eastron SDM630Modbus protocol V1.8, clause 3.8.1: 43 66 33 34 is 230.2 V.
    value, quality = decode(register("float32"), [0x4366, 0x3334])
    assert value == pytest.approx(230.2, abs=2**-16)
    assert quality is Quality.GOOD


@pytest.mark.parametrize(
    ("kind", "words", "expected"),
    [
        ("uint16", [0xFFFE], 65534),
        ("int16", [0xFFFE], -2),
        ("uint32", [0x0001, 0x0000], 65536),
        ("int32", [0xFFFF, 0xFFFE], -2),
        ("uint64", [0, 0, 1, 0], 65536),
        ("int64", [0xFFFF, 0xFFFF, 0xFFFF, 0xFFFE], -2),
        ("float64", [0x405E, 0xDCCC, 0xCCCC, 0xCCCD], 123.45),
    ],
)
def test_every_type_in_both_word_orders(kind, words, expected):
    assert decode(register(kind), words) == (expected, Quality.GOOD)
    assert decode(register(kind), words[::-1], WordOrder.LOW_FIRST) == (expected, Quality.GOOD)


def test_gaps_and_order_inside_a_block():
    items = [register("uint16", 3), register("int32", 0, scale=0.1)]
    layout = lay_out(RegisterBlock(address=0, count=4), items, WordOrder.LOW_FIRST)
    assert [value for value, _ in layout.decode(struct.pack(">4H", 1234, 0, 999, 7))] == [7, pytest.approx(123.4)]


@pytest.mark.parametrize("words", [[0x7FC0, 0], [0x7F80, 0], [0xFF80, 0]])
def test_nan_and_infinity_are_invalid(words):
    value, quality = decode(register("float32"), words)
    assert math.isnan(value)
    assert quality is Quality.INVALID


def test_a_marker_is_invalid_and_a_limit_makes_implausible():
    item = register("int32", invalid=[0x7FFFFFFF], limits=[0, 5000])
    assert decode(item, [0x7FFF, 0xFFFF])[1] is Quality.INVALID
    assert decode(item, [0, 5001]) == (5001, Quality.IMPLAUSIBLE)
    assert decode(item, [0, 5000]) == (5000, Quality.GOOD)


def test_an_overflow_marker_is_over_range():
    # Carlo Gavazzi EM300 series protocol V2R9, clause 2.3: "EEE" is 7FFFFFFFh, word order FFFF 7FFF.
    value, quality = decode(register("int32", overflow=[0x7FFFFFFF]), [0xFFFF, 0x7FFF], WordOrder.LOW_FIRST)
    assert math.isnan(value)
    assert quality == Quality.INVALID | Quality.OVER_RANGE
    assert not quality.usable


@pytest.mark.parametrize(
    ("kind", "raw"),
    [
        ("uint16", "ffff"),
        ("int16", "7fff"),
        ("int16", "8000"),
        ("uint32", "ffffffff"),
        ("int32", "7fffffff"),
        ("int32", "80000000"),
        ("float32", "7f7fffff"),
        ("float32", "ff7fffff"),
    ],
)
def test_a_number_at_the_end_of_its_format_is_saturated(kind, raw):
    words = [int(raw[i : i + 4], 16) for i in range(0, len(raw), 4)]
    for item in (register(kind), register(kind, scale=0.1), register(kind, scale=1000)):
        quality = decode(item, words)[1]
        assert quality & Quality.SATURATED
        assert bool(quality & Quality.NO_VALUE) == (set(raw) == {"f"})
        assert not quality.usable


def test_no_value_of_a_block_of_all_ones_is_good():
    items = [register("int32", scale=0.1), register("int16", address=2, scale=0.001)]
    for words, good in (([0xFFFF] * 3, False), ([0xFFFF, 0xFFFF, 7], True)):
        layout = lay_out(RegisterBlock(address=0, count=3), items, WordOrder.HIGH_FIRST)
        values = layout.decode(struct.pack(">3H", *words))
        assert [value for value, _ in values] == pytest.approx([-0.1, words[2] / 1000 if good else -0.001])
        assert [quality.usable for _, quality in values] == [good, good]
        assert [bool(quality & Quality.NO_VALUE) for _, quality in values] == [not good, not good]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [(1.0, 1.0), (0.5, 0.5), (0.0, 0.0), (-1.0, -1.0), (-0.5, -0.5), (1.25, 0.75), (2.0, 0.0), (-1.75, -0.25)],
)
def test_a_four_quadrant_power_factor_is_folded_back(raw, expected):
    # Schneider Electric PM5560 public register list: above 1 the power factor is 2 minus the value and leading, below
    # -1 it is -2 minus the value and leading, otherwise it is the value.
    words = list(struct.unpack(">2H", struct.pack(">f", raw)))
    assert decode(register("float32", encoding="four-quadrant"), words) == (expected, Quality.GOOD)


def test_a_number_beyond_four_quadrants_is_implausible():
    words = list(struct.unpack(">2H", struct.pack(">f", 2.5)))
    item = register("float32", encoding="four-quadrant", limits=[-1.01, 1.01])
    assert decode(item, words) == (2.5, Quality.IMPLAUSIBLE)


@pytest.mark.parametrize(("kind", "more", "step"), [
    ("int32", {"scale": 0.1}, 0.1), ("uint16", {}, 1.0), ("float32", {"scale": 1000}, None),
    ("float32", {"resolution": 0.5}, 0.5), ("int32", {"scale": 0.1, "resolution": 1.0}, 1.0),
])  # fmt: skip
def test_the_step_of_an_integer_is_its_scale(kind, more, step):
    assert register(kind, **more).step == step


@given(st.lists(st.integers(0, 0xFFFF), min_size=76, max_size=76))
def test_any_words_decode_to_a_number_or_a_mark(words):
    table = load_catalogue()["eastron.sdm120"].protocol
    assert isinstance(table, ModbusMap)
    packed = struct.pack(">76H", *words)
    layout = lay_out(table.blocks[0], table.registers, WordOrder.HIGH_FIRST)
    for field, (value, quality) in zip(layout.fields, layout.decode(packed), strict=True):
        item = field.register
        (raw,) = struct.unpack_from(">f", packed, 2 * item.address)
        assert quality is Quality.INVALID if not math.isfinite(raw) else value == raw * item.scale
        assert quality is not Quality.GOOD or item.limits is None or item.limits[0] <= value <= item.limits[1]
