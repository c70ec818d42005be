"""A serial line with libmodbus at its end: late answers, noise, broken checksums, unplugging."""

from __future__ import annotations

import asyncio
import logging
import os
import tty

import pytest
from pymodbus.framer import FramerRTU
from wattmark_drivers.catalogue.declaration import Parity
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.modbus.address import RtuAddress
from wattmark_drivers.modbus.line import ModbusLine
from wattmark_drivers.modbus.request import Request
from wattmark_drivers.reading import Quality, Reading
from wattmark_drivers.sampler import Sampler
from wattmark_drivers.settings import MeterSettings

from .frames import POWER, power, power_words, sdm120_at

WORDS = power_words(100, voltage=230.0, current=100 / 230)
"""At 100 W, with the volts and amperes that belong to it."""


def meter(cable, timeout_s: float = 0.4):
    return sdm120_at(f"modbus-rtu://{cable.path}?device=1&baud=9600", timeout_s)


@pytest.fixture
async def opened(cable, libmodbus):
    """Open a meter whose power grows by 1 W with each request that it has answered."""
    libmodbus.rtu(cable.device, WORDS, ramp=POWER)
    line = meter(cable)
    await line.open()
    yield line
    await line.close()


async def test_a_line_is_read(opened):
    assert await power(opened) == (102, Quality.GOOD)
    assert await power(opened) == (103, Quality.GOOD)


async def test_a_late_answer_falls_into_the_silence(opened, cable):
    cable.delays_s = [0.6]
    assert await power(opened) == (103, Quality.RETRIED)
    assert await power(opened) == (104, Quality.GOOD)


async def test_an_answer_later_than_the_silence_is_known_by_its_length(opened, cable):
    cable.delays_s = [1.1, 0.5]
    with pytest.raises(BadReply, match="answered with 76 registers for 78, probably late"):
        await opened.read()
    assert await power(opened) == (104, Quality.GOOD)


async def test_noise_before_an_answer_costs_a_retry_at_most(opened, cable):
    cable.spoil = [lambda data: b"\x00\xff\x13" + data]
    value, quality = await power(opened)
    assert (value, quality) in [(102, Quality.GOOD), (103, Quality.RETRIED)]


async def test_a_broken_checksum_is_no_answer(opened, cable):
    cable.spoil = [lambda data: data[:-1] + bytes([data[-1] ^ 1])]
    assert await power(opened) == (103, Quality.RETRIED)


async def test_a_changed_value_does_not_pass_the_checksum(opened, cable):
    cable.spoil = [lambda data: data[:28] + b"\x00" + data[29:]]
    assert await power(opened) == (103, Quality.RETRIED)


def sealed(frame: bytes) -> bytes:
    """Close a frame with the checksum of the specification, computed by pymodbus."""
    return frame + FramerRTU.compute_CRC(frame).to_bytes(2, "big")


@pytest.mark.parametrize(
    ("what", "spoil", "expected"),
    [
        ("an answer twice", lambda data: data + data, (102, Quality.GOOD)),
        ("the first half of an answer", lambda data: data[: len(data) // 2], (103, Quality.RETRIED)),
        ("the second half of an answer", lambda data: data[len(data) // 2 :], (103, Quality.RETRIED)),
        ("another device's answer", lambda data: sealed(b"\x02" + data[1:-2]), (103, Quality.RETRIED)),
        ("another device's answer and ours", lambda data: sealed(b"\x02" + data[1:-2]) + data, (102, Quality.GOOD)),
        ("the echo of the request", lambda data: bytes.fromhex("01040000004cf1ff") + data, (102, Quality.GOOD)),
        ("another function's answer", lambda data: sealed(b"\x01\x03" + data[2:-2]), (103, Quality.RETRIED)),
        ("fewer registers", lambda data: sealed(b"\x01\x04\x1c" + data[3:31]), (103, Quality.RETRIED)),
        ("nothing but noise", lambda data: bytes(range(1, 255)), (103, Quality.RETRIED)),
    ],
)
async def test_what_a_bad_line_does_is_never_a_wrong_value(what, spoil, expected, opened, cable):
    cable.spoil = [spoil]
    assert await power(opened) == expected, what
    after = expected[0] + 1
    assert await power(opened) == (after, Quality.GOOD)


async def test_noise_between_two_polls_is_forgotten(opened, cable):
    assert await power(opened) == (102, Quality.GOOD)
    cable.noise(b"\x01\x04\x98" + bytes(40))
    await asyncio.sleep(0.1)
    assert await power(opened) == (103, Quality.GOOD)


async def test_an_answer_that_nobody_waits_for_is_not_the_next_ones(opened, cable):
    cable.delays_s = [0.3]
    heard = len(cable.heard)
    reading = asyncio.create_task(opened.read())
    while len(cable.heard) == heard:
        await asyncio.sleep(0.01)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert await power(opened) == (103, Quality.GOOD)


async def test_unplugged_and_plugged_in_again_is_one_line_each_and_a_gap(cable, libmodbus, caplog):
    """The readings that were not taken are missing; those after the return are not marked as late."""
    libmodbus.rtu(cable.device, WORDS, ramp=POWER)
    taken: list[list[Reading]] = []
    states: asyncio.Queue[str] = asyncio.Queue()
    sampler = Sampler(
        meter(cable, timeout_s=0.2),
        period_s=0.1,
        on_readings=lambda _, readings: taken.append(readings),
        on_state=lambda state: states.put_nowait(state.state),
    )
    with caplog.at_level(logging.INFO, "wattmark_drivers"):
        task = asyncio.create_task(sampler.run())
        assert [await asyncio.wait_for(states.get(), 30) for _ in range(2)] == ["connecting", "ok"]
        while not taken:
            await asyncio.sleep(0.02)
        await asyncio.to_thread(cable.unplug)
        assert await asyncio.wait_for(states.get(), 30) == "lost"
        before = len(taken)
        await asyncio.sleep(1.0)
        assert len(taken) == before
        cable.plug()
        while await asyncio.wait_for(states.get(), 30) != "ok":
            pass
        while len(taken) < before + 3:
            await asyncio.sleep(0.02)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    lines = [record.getMessage() for record in caplog.records]
    assert [line.split(":")[0] for line in lines] == ["Meter wall is lost", "Meter wall is back."]
    gap_ns = taken[before][0].t_ns - taken[before - 1][0].t_ns
    assert gap_ns > 1_000_000_000
    assert [item.quality for item in taken[before + 1] if item.channel == "power"] == [Quality.GOOD]


async def test_a_silent_line_is_a_lost_meter(opened, cable):
    cable.spoil = [lambda data: b""] * 2
    with pytest.raises(ConnectionFailed, match="does not answer"):
        await opened.read()


async def test_an_unplugged_adapter_is_lost_and_found(opened, cable):
    cable.unplug()
    with pytest.raises(ConnectionFailed):
        await opened.read()
    with pytest.raises(ConnectionFailed, match="No connection"):
        await opened.open()
    cable.plug()
    await opened.open()
    assert (await power(opened))[1] is Quality.GOOD


async def test_two_meters_on_one_line_must_agree_on_its_settings(opened, cable):
    other = f"modbus-rtu://{cable.path}?device=2&baud=2400"
    with pytest.raises(ConfigurationError, match="other line settings"):
        await create_meter(MeterSettings("second", "eastron.sdm120", other)).open()
    assert (await power(opened))[1] is Quality.GOOD


async def test_a_missing_adapter(tmp_path):
    url = f"modbus-rtu://{tmp_path}/ttyUSB9"
    with pytest.raises(ConnectionFailed, match=r"No connection to .*ttyUSB9"):
        await create_meter(MeterSettings("wall", "eastron.sdm120", url)).open()


async def test_the_bytes_of_the_makers_example():
    """Eastron SDM630Modbus protocol V1.8, clause 3.8.1: Volts 1 of device 1 is 230.2 V."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    asked = bytearray()

    def answer() -> None:
        asked.extend(os.read(ours, 64))
        if len(asked) == 8:
            os.write(ours, bytes.fromhex("01 04 04 43 66 33 34 1B 38"))

    asyncio.get_running_loop().add_reader(ours, answer)
    address = RtuAddress(os.ttyname(theirs), 1, 9600, Parity.NONE, 1)
    line = ModbusLine(address, SystemClock())
    reply = await line.read(Request(1, 4, 0, 2, timeout_s=1, request_gap_s=0, quiet_gap_s=0.5))
    line.close()
    asyncio.get_running_loop().remove_reader(ours)
    os.close(ours)
    os.close(theirs)
    assert bytes(asked) == bytes.fromhex("01 04 00 00 00 02 71 CB")
    assert list(reply.words) == [0x4366, 0x3334]
