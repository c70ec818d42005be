"""Air time on a serial line, and plans that do not fit on it."""

from __future__ import annotations

import re

import pytest
from wattmark_drivers.catalogue.declaration import Parity
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.line_load import check_lines
from wattmark_drivers.modbus.air_time import character_bits, poll_s, silence_s
from wattmark_drivers.settings import MeterSettings


@pytest.mark.parametrize(
    ("parity", "stopbits", "bits"), [(Parity.NONE, 1, 10), (Parity.NONE, 2, 11), (Parity.EVEN, 1, 11)]
)
def test_a_character_has_start_data_parity_and_stop_bits(parity, stopbits, bits):
    assert character_bits(parity, stopbits) == bits


def test_the_silence_between_frames():
    # MODBUS over Serial Line V1.02, 2.5.1.1: 3.5 characters; 1.750 ms above 19200 baud.
    assert silence_s(9600, 11) == pytest.approx(3.5 * 11 / 9600)
    assert silence_s(38400, 11) == 1.75e-3


@pytest.mark.parametrize(("baud", "seconds"), [(9600, 0.188), (38400, 0.049)])
def test_a_read_of_80_registers(baud, seconds):
    """Calculated independently for an RS-485 line without the meter's own delay: 188 ms and 49 ms."""
    assert poll_s([80], baud, Parity.NONE, 1) == pytest.approx(seconds, abs=0.0006)


def test_what_the_meter_wants_and_needs_comes_on_top():
    bare = poll_s([10], 9600, Parity.NONE, 1)
    assert poll_s([10], 9600, Parity.NONE, 1, gap_s=0.06, answer_s=0.02) == pytest.approx(
        bare - 2 * silence_s(9600, 10) + 0.08
    )
    assert poll_s([10], 9600, Parity.NONE, 1, gap_s=0.001) == bare
    assert poll_s([10, 10], 9600, Parity.NONE, 1) == pytest.approx(2 * bare)


def meters(number: int, period_s: float, line: str = "modbus-rtu:///dev/ttyUSB0?baud={}&device={}", baud=9600, **more):
    return [
        MeterSettings(f"m{n}", "schneider.iem3000", line.format(baud, n), period_s, **more)
        for n in range(1, number + 1)
    ]


def test_a_plan_that_cannot_fit_is_refused_with_the_arithmetic():
    with pytest.raises(ConfigurationError) as caught:
        check_lines(meters(4, 0.5))
    words = r"4 meters x ([\d.]+) ms = ([\d.]+) ms on /dev/ttyUSB0 at 9600 baud do not fit into a period of 0\.5 s\."
    match = re.fullmatch(words, caught.value.cause)
    assert match
    each, total = map(float, match.groups())
    assert 4 * each == pytest.approx(total, rel=1e-3)
    assert total > 500
    assert re.fullmatch(r"Use \d+ baud or a period of [\d.]+ s\.", caught.value.remedy)


def test_what_the_remedy_says_fits():
    with pytest.raises(ConfigurationError) as caught:
        check_lines(meters(4, 0.5))
    baud = int(caught.value.remedy.split()[1])
    period_s = float(caught.value.remedy.split()[-2])
    check_lines(meters(4, 0.5, baud=baud))
    check_lines(meters(4, period_s))


def test_what_the_meter_was_measured_to_need_counts():
    check_lines(meters(1, 0.5))
    with pytest.raises(ConfigurationError, match="do not fit"):
        check_lines(meters(1, 0.5, options={"answer_s": 0.4}))
    with pytest.raises(ConfigurationError, match="answer_s is -1"):
        check_lines(meters(1, 0.5, options={"answer_s": -1}))


def test_each_line_is_reckoned_by_itself_and_networks_have_no_line():
    check_lines(
        [item for n in range(4) for item in meters(1, 0.5, f"modbus-rtu:///dev/ttyUSB{n}?baud={{}}&device={{}}")]
    )
    check_lines(meters(50, 0.1, "modbus-tcp://gateway:502/{1}"))
    check_lines([MeterSettings("bmc", "ipmi.bmc", "ipmi://h", 0.001)])


def test_a_gateway_of_rtu_frames_has_a_line():
    with pytest.raises(ConfigurationError, match="on gateway:4196 at 9600 baud"):
        check_lines(meters(4, 0.5, "modbus-rtu-tcp://gateway:4196/{1}?baud={0}"))


def test_different_periods_are_told_as_a_share_of_the_time():
    with pytest.raises(ConfigurationError, match=r"2 meters x .* each 0\.25 s \+ 1 meter x .* each 0\.5 s take \d+ %"):
        check_lines([*meters(2, 0.25), *meters(1, 0.5)])


def test_a_hopeless_plan_says_so():
    with pytest.raises(ConfigurationError, match="Spread the meters over several lines"):
        check_lines(meters(247, 1.0, baud=300))
