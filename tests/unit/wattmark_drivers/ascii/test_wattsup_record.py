"""Records become values by name; a torn one never becomes a wrong value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.ascii.packets import Packet, PacketBuffer
from wattmark_drivers.ascii.wattsup_record import decode_record
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.wattsup_map import WattsUpMap
from wattmark_drivers.errors import BadReply
from wattmark_drivers.reading import Quality

TABLE = load_catalogue()["wattsup.pro"].protocol
assert isinstance(TABLE, WattsUpMap)
HEADER = "W V A WH Cost WH/Mo Cost/Mo Wmax Vmax Amax Wmin Vmin Amin PF DC PC Hz VA".split()  # noqa: SIM905
# Illustrative record of the protocol facts: 612.5 W, 230.1 V, 2.720 A, 1.7 Wh, PF 0.98, 49.9 Hz, 625.9 VA.
RECORD = "6125 2301 2720 17 0 0 0 6310 2310 2802 5904 2295 2610 98 0 0 499 6259".split()  # noqa: SIM905
EXPECTED = {
    "power": 612.5, "voltage": 230.1, "current": 2.72, "energy": 1.7, "power_factor": 0.98, "frequency": 49.9,
    "apparent_power": 625.9,
}  # fmt: skip
# Lines that two public programs recorded from real meters.
RECORDED = [
    "972,2277,433,5,0,70035,5602,973,2280,435,972,2274,432,95,0,0,500,1020",
    "965,1204,792,1,0,69384,5550,965,1205,833,965,1203,779,100,0,0,500,965",
    "0,1201,0,0,0,2,0,0,1202,0,0,1201,0,100,0,0,600,0",
]


def values(header=HEADER, record=RECORD):
    return {item.field.channel: item for item in decode_record(TABLE.fields, header, record)}


def test_a_record_in_units():
    assert {name: item.value for name, item in values().items()} == EXPECTED
    assert all(item.quality is Quality.GOOD for item in values().values())


def test_the_order_is_the_headers():
    turned = values(HEADER[::-1], RECORD[::-1])
    assert {name: item.value for name, item in turned.items()} == EXPECTED


def test_unlogged_fields_are_excluded():
    record = RECORD[:3] + ["_"] * 15
    assert set(values(record=record)) == {"power", "voltage", "current"}


@pytest.mark.parametrize("line", RECORDED)
def test_real_recorded_lines_are_believed(line):
    assert all(item.quality is Quality.GOOD for item in values(record=line.split(",")).values())


@pytest.mark.parametrize("text", ["", "x", "-1", "6 1", "１２", "1.5", "9" * 11])
def test_what_is_no_whole_number_drops_the_record(text):
    with pytest.raises(BadReply):
        values(record=[text, *RECORD[1:]])


def test_a_record_of_another_length_is_dropped():
    with pytest.raises(BadReply):
        values(record=RECORD[:-1])


def test_values_beyond_the_protocols_ranges_are_implausible():
    record = RECORD.copy()
    record[HEADER.index("Hz")] = "4990"
    assert values(record=record)["frequency"].quality is Quality.IMPLAUSIBLE


LINE = f"#d,-,18,{','.join(RECORD)};".encode()


@pytest.mark.parametrize("lost", range(len(LINE)))
def test_one_lost_byte_never_gives_a_wrong_value(lost):
    for packet in PacketBuffer().feed(LINE[:lost] + LINE[lost + 1 :] + LINE):
        if isinstance(packet, Packet):
            check_believed(packet)


@given(st.integers(0, len(LINE)), st.integers(0, len(LINE)))
def test_a_lost_stretch_never_gives_a_wrong_value(start, length):
    for packet in PacketBuffer().feed(LINE[:start] + LINE[start + length :] + LINE[: length // 2] + LINE):
        if isinstance(packet, Packet):
            check_believed(packet)


def check_believed(packet: Packet) -> None:
    try:
        decoded = values(record=list(packet.arguments))
    except BadReply:
        return
    for name in ("power", "voltage", "current", "apparent_power", "frequency", "power_factor"):
        assert not decoded[name].quality.usable or decoded[name].value == EXPECTED[name]
