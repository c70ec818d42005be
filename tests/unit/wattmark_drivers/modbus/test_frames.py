"""Frames on the wire: byte-exact against the specifications, and nothing but the answer is taken for the answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymodbus.framer import FramerRTU, FramerSocket
from pymodbus.pdu import DecodePDU
from pymodbus.pdu.register_message import ReadInputRegistersResponse
from wattmark_drivers.modbus.frames import OutOfStepError, RtuFraming, TcpFraming

READ_VOLTS = bytes.fromhex("04 0000 0002")
# Eastron SDM630Modbus protocol V1.8, clause 3.8.1: Volts 1 of device 1 is 230.2 V.
VOLTS = bytes.fromhex("01 04 04 43 66 33 34 1B 38")


def rtu() -> RtuFraming:
    framing = RtuFraming()
    assert framing.wrap(1, READ_VOLTS) == bytes.fromhex("01 04 00 00 00 02 71 CB")
    return framing


def tcp() -> TcpFraming:
    framing = TcpFraming()
    assert framing.wrap(1, READ_VOLTS) == bytes.fromhex("0001 0000 0006 01 04 0000 0002")
    return framing


def answer_of(device: int, registers: list[int], framer: type, transaction: int = 0) -> bytes:
    """Build a frame by pymodbus, which knows nothing of ours."""
    response = ReadInputRegistersResponse(registers=registers, dev_id=device, transaction_id=transaction)
    return framer(DecodePDU(False)).buildFrame(response)


def test_the_bytes_of_the_makers_example():
    assert rtu().feed(VOLTS) == VOLTS[1:-2]


@pytest.mark.parametrize("cut", range(1, len(VOLTS)))
def test_an_answer_in_two_parts(cut):
    framing = rtu()
    assert framing.feed(VOLTS[:cut]) is None
    assert framing.feed(VOLTS[cut:]) == VOLTS[1:-2]


@pytest.mark.parametrize(
    "before",
    [
        b"\x00\xff\x13",
        b"\x01",
        b"\x01\x04",
        b"\x01\x04\x04\x43",  # the first half of an answer
        bytes.fromhex("01 04 00 00 00 02 71 CB"),  # the echo of a two-wire adapter
        answer_of(2, [1, 2], FramerRTU),  # another device
        bytes.fromhex("01 03 04 43 66 33 34 1B 38"),  # another function
        bytes.fromhex("01 04 04 43 66 33 35 1B 38"),  # a spoilt checksum
    ],
)
def test_what_else_is_on_the_line_is_passed_over(before):
    framing = rtu()
    assert framing.feed(before) is None
    assert framing.feed(VOLTS) == VOLTS[1:-2]
    assert rtu().feed(before + VOLTS) == VOLTS[1:-2]


def test_what_was_heard_before_the_request_is_forgotten():
    framing = rtu()
    framing.feed(VOLTS[:5])
    framing.wrap(1, READ_VOLTS)
    assert framing.feed(VOLTS[5:]) is None


@pytest.mark.parametrize("code", [1, 2, 3, 4, 6, 11])
def test_an_exception_on_a_serial_line(code):
    frame = bytes([1, 0x84, code])
    frame += FramerRTU.compute_CRC(frame).to_bytes(2, "big")
    assert rtu().feed(frame) == bytes([0x84, code])


@given(st.integers(0, 64), st.binary(max_size=400))
def test_no_noise_is_an_answer_unless_its_checksum_is_right(cut, noise):
    framing = rtu()
    payload = framing.feed(noise[:cut]) or framing.feed(noise[cut:])
    if payload is not None:
        frame = b"\x01" + payload
        assert frame + FramerRTU.compute_CRC(frame).to_bytes(2, "big") in noise


@given(st.lists(st.integers(0, 0xFFFF), min_size=1, max_size=125), st.integers(0, 260))
def test_every_answer_that_pymodbus_builds_is_found(registers, cut):
    data = b"".join(word.to_bytes(2, "big") for word in registers)
    expected = bytes([4, len(data)]) + data
    serial, network = rtu(), tcp()
    frame = answer_of(1, registers, FramerRTU)
    assert (serial.feed(frame[:cut]) or serial.feed(frame[cut:])) == expected
    frame = answer_of(1, registers, FramerSocket, transaction=1)
    assert (network.feed(frame[:cut]) or network.feed(frame[cut:])) == expected


def test_a_late_answer_on_tcp_is_known_by_its_number():
    framing = tcp()
    framing.wrap(1, READ_VOLTS)
    late, right = (answer_of(1, [value], FramerSocket, number) for value, number in ((7, 1), (8, 2)))
    assert framing.feed(late + right) == bytes.fromhex("04 02 0008")
    assert framing.feed(late) is None


def test_another_device_behind_a_gateway_is_not_taken():
    assert tcp().feed(answer_of(2, [7], FramerSocket, 1)) is None


@pytest.mark.parametrize("noise", ["ff00ff00ff00ff00", "0001000000010104", "000100000fff0104"])
def test_a_stream_that_is_out_of_step_is_given_up(noise):
    with pytest.raises(OutOfStepError):
        tcp().feed(bytes.fromhex(noise))


@given(st.binary(max_size=600))
def test_any_bytes_are_an_answer_nothing_or_out_of_step(noise):
    framing = tcp()
    try:
        payload = framing.feed(noise)
    except OutOfStepError:
        return
    assert payload is None or bytes.fromhex("0001 0000") in noise


@pytest.mark.parametrize(
    ("transaction", "device", "words"),
    [(2, 1, "transaction number 2 for 1"), (0, 1, "transaction number 0 for 1"), (1, 0, "unit id 0 for 1")],
)
def test_answers_with_another_number_or_unit_are_counted_until_the_next_request(transaction, device, words):
    """kellerza/sunsynk 680, goburrow/modbus 54, pymodbus 2762."""
    framing = tcp()
    assert framing.feed(answer_of(device, [1, 2], FramerSocket, transaction)) is None
    assert framing.passed_over == [words]
    framing.wrap(1, READ_VOLTS)
    assert framing.passed_over == []
