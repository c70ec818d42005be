"""The stream of PowerSensor3 as readLevelFromDevice reads it and DMA2_Stream0_IRQHandler writes it; bytes by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.errors import BadReply
from wattmark_drivers.powersensor.stream import (
    RECORD,
    SampleBuffer,
    SensorSetup,
    mean_of_pair,
    pairs_in_use,
    parse_setup,
)

CLOCK = bytes([0b1111_0011, 0b0110_0101])
"""The device's time, 0b0011_100101 us: sensor 7 with the marker bit."""


def sample(sensor: int, level: int, marker: int = 0) -> bytes:
    return bytes([1 << 7 | sensor << 4 | level >> 6, marker << 6 | level & 63])


def full_set(levels: list[int]) -> bytes:
    return CLOCK + b"".join(sample(sensor, level) for sensor, level in enumerate(levels))


LEVELS = [512, 744, 1023, 0, 5, 64, 63, 1000]


def test_a_set_byte_by_byte_and_at_once():
    # 512 = 0b1000_000000, 744 = 0b1011_101000
    assert full_set(LEVELS)[2:6] == bytes([0b1000_1000, 0b0000_0000, 0b1001_1011, 0b0010_1000])
    assert SampleBuffer().feed(full_set(LEVELS)).tolist() == [LEVELS]
    buffer = SampleBuffer()
    rows = [row for octet in full_set(LEVELS) * 3 for row in buffer.feed(bytes([octet])).tolist()]
    assert rows == [LEVELS] * 3


def test_two_sets_that_broke_off_at_the_end_are_no_set_yet():
    buffer = SampleBuffer()
    assert buffer.feed(full_set(LEVELS)[:8] + full_set(LEVELS)[:8]).tolist() == []
    assert buffer.feed(full_set(LEVELS)[8:]).tolist() == [LEVELS]


def test_a_marker_of_the_user_changes_nothing():
    stream = CLOCK + sample(0, 512, marker=1) + full_set(LEVELS)[4:]
    assert SampleBuffer().feed(stream).tolist() == [LEVELS]


@pytest.mark.parametrize("missing", range(18))
def test_a_dropped_byte_costs_its_set_and_no_level_is_wrong(missing):
    stream = full_set(LEVELS)
    torn = stream[:missing] + stream[missing + 1 :]
    assert SampleBuffer().feed(stream + torn + stream).tolist() == [LEVELS] * 2


@given(st.lists(st.integers(0, 1023), min_size=8, max_size=8), st.binary(max_size=60), st.integers(1, 40))
def test_a_set_after_any_bytes_is_read(levels, noise, size):
    buffer = SampleBuffer()
    stream = noise + full_set(levels) + full_set(levels)
    blocks = [buffer.feed(stream[start : start + size]) for start in range(0, len(stream), size)]
    assert np.concatenate(blocks).tolist()[-1] == levels


def test_levels_to_watts():
    """sensors.cc: (3.3 x level / 1023 - vref) / sensitivity; a negative sensitivity turns the sign."""
    current, voltage = SensorSetup("a", 1.65, 0.06, True), SensorSetup("a", 0.0, 0.2, True)
    levels = np.array([[682, 744], [651, 744]], np.uint16)
    # 2.2 V - 1.65 V = 0.55 V -> 9.1667 A; 2.1 V -> 7.5 A; 2.4 V -> 12 V
    means = mean_of_pair(current, voltage, levels, 0)
    assert means.current_a == pytest.approx((0.55 / 0.06 + 7.5) / 2)
    assert means.voltage_v == pytest.approx(12.0)
    assert means.power_w == pytest.approx(12 * (0.55 / 0.06 + 7.5) / 2)
    assert not means.clipped
    turned = SensorSetup("a", 1.65, -0.06, True)
    assert mean_of_pair(turned, voltage, levels, 0).power_w == pytest.approx(-means.power_w)


def test_the_mean_of_products_is_not_the_product_of_means():
    plain = SensorSetup("a", 0.0, 1.0, True)
    levels = np.array([[930, 310], [310, 930]], np.uint16)  # 3 A x 1 V and 1 A x 3 V
    assert mean_of_pair(plain, plain, levels, 0).power_w == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("levels", "clipped"), [((0, 744), True), ((1023, 744), True), ((600, 1023), True), ((600, 0), False)]
)
def test_a_level_at_the_end_of_the_converter_is_clipped(levels, clipped):
    plain = SensorSetup("a", 0.0, 1.0, True)
    assert mean_of_pair(plain, plain, np.array([levels], np.uint16), 0).clipped is clipped


def test_the_set_up_of_a_sensor():
    assert RECORD.size == 41
    record = b"MLX 20A".ljust(16, b"\0") + b"PCIe 12V".ljust(16, b"\0") + bytes.fromhex("3333d33f8fc2753d01")
    assert parse_setup(record) == SensorSetup("PCIe 12V", pytest.approx(1.65), pytest.approx(0.06), True)
    with pytest.raises(BadReply, match="no valid calibration"):
        parse_setup(record[:36] + b"\0\0\0\0\x01")
    used, unused = SensorSetup("a", 0, 1, True), SensorSetup("", 0, 0, False)
    assert pairs_in_use([used, used, used, unused, unused, unused, used, used]) == [0, 3]
