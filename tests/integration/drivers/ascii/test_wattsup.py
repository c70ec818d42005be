"""A Watts Up? over a real serial driver: records, torn records, stalls, unplugging."""

from __future__ import annotations

import asyncio
import time

import pytest
from wattmark_drivers.errors import BadReply, ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Kind, Quality
from wattmark_drivers.sampler import Sampler
from wattmark_drivers.settings import MeterSettings

from tests.open_meter import open_meter

VALUES = {
    "power": 612.5, "voltage": 230.1, "current": 2.72, "apparent_power": 625.9, "power_factor": 0.98,
    "frequency": 49.9, "energy": 1.7,
}  # fmt: skip
START = "L,W,3,E,0,1"


def meter(path, timeout_s: float = 0.3):
    return create_meter(MeterSettings("wall", "wattsup.pro", f"serial://{path}", timeout_s=timeout_s))


@pytest.fixture
async def opened(device):
    """Open a meter on the device."""
    session = meter(device.path)
    await session.open()
    yield session
    await session.close()


async def values(session) -> dict[str, float]:
    readings = await session.read()
    assert all(reading.quality is Quality.GOOD for reading in readings)
    return {reading.channel: reading.value for reading in readings}


async def test_records(opened):
    for _ in range(3):
        assert await values(opened) == VALUES


async def test_stamps_kinds_and_the_doubt_of_the_air_time(opened):
    before_ns = time.time_ns()
    await opened.read()  # may have waited in the buffer
    readings = await opened.read()
    assert {reading.t_ns for reading in readings} == {readings[0].t_ns}
    assert before_ns - 10**9 < readings[0].t_ns <= time.time_ns()
    # About 60 characters of 10 bits at 115200 baud.
    assert 4_000_000 < readings[0].u_t_ns < 8_000_000
    assert {reading.channel: reading.kind for reading in readings}["energy"] is Kind.COUNTER
    assert readings[0].kind is Kind.AVERAGED


async def test_the_dialogue(opened, device):
    assert device.commands == ["L,R,0", "V,R,0", "H,R,0", START]
    await opened.close()
    while device.commands[-1] != "L,R,0":
        await asyncio.sleep(0.01)


async def test_the_order_of_the_header_counts(device):
    device.names.reverse()
    device.record.reverse()
    async with open_meter(meter(device.path)) as session:
        assert await values(session) == VALUES


async def test_nul_bytes_line_ends_and_other_packets_are_passed_over(opened, device):
    whole = device.packet("d", device.record)
    device.once = [b"\0\r\n\0#s,-,3,0,1,2;" + whole[:20] + b"\0\r" + whole[20:]]
    for _ in range(3):
        assert await values(opened) == VALUES


async def test_a_record_in_pieces(opened, device):
    whole = device.packet("d", device.record)
    device.once = [whole[:1], whole[1:30], whole[30:31], whole[31:]]
    for _ in range(3):
        assert await values(opened) == VALUES


@pytest.mark.parametrize("torn", [b"#d,-,18,6125,23", b"#d,-,18,6125,2301;", b"#d,-,18" + b",x" * 18 + b";"])
async def test_a_torn_record_is_a_gap_and_the_next_is_right(opened, device, torn):
    device.once = [torn]
    lost = 0
    for _ in range(4):
        try:
            assert await values(opened) == VALUES
        except BadReply:
            lost += 1
    assert lost == 1


async def test_a_stalled_meter_is_stopped_cleared_and_started(opened, device):
    device.stalled = True
    for _ in range(4):
        assert await values(opened) == VALUES
        if device.commands[-3:] == ["L,R,0", "R,W,0", START]:
            return
    pytest.fail(f"no restart in {device.commands}")


async def test_switched_off_fields_are_switched_on(device):
    device.mask = [True, True, True] + [False] * 15
    async with open_meter(meter(device.path)) as session:
        assert await values(session) == VALUES
    assert f"C,W,18,{','.join('1' * 18)}" in device.commands


async def test_a_device_that_says_nothing(device):
    device.mute = True
    with pytest.raises(ConnectionFailed, match="does not answer") as caught:
        await meter(device.path, timeout_s=0.1).open()
    assert "Watts Up?" in caught.value.remedy


async def test_a_missing_port(tmp_path):
    with pytest.raises(ConnectionFailed, match=r"ttyUSB9.*No such file"):
        await meter(tmp_path / "ttyUSB9").open()


async def test_a_port_in_use(opened, device):
    with pytest.raises(ConnectionFailed, match=r"ttyUSB0.*lock"):
        await meter(device.path).open()
    assert await values(opened) == VALUES


async def test_reading_while_closed(device):
    with pytest.raises(ConnectionFailed, match="not open"):
        await meter(device.path).read()


async def test_unplugged_and_plugged_in_again(device):
    states: asyncio.Queue[str] = asyncio.Queue()
    got = asyncio.Event()
    sampler = Sampler(
        meter(device.path),
        period_s=1,
        on_readings=lambda *_: got.set(),
        on_state=lambda state: states.put_nowait(state.state),
    )
    task = asyncio.create_task(sampler.run())
    assert [await asyncio.wait_for(states.get(), 30) for _ in range(2)] == ["connecting", "ok"]
    device.unplug()
    assert await asyncio.wait_for(states.get(), 30) == "lost"
    got.clear()
    device.plug()
    assert await asyncio.wait_for(states.get(), 30) == "ok"
    await asyncio.wait_for(got.wait(), 30)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_cancelling_frees_the_port(device):
    async with open_meter(meter(device.path)) as session:
        device.stalled = True
        reading = asyncio.create_task(session.read())
        await asyncio.sleep(0.1)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
    device.stalled = False
    again = meter(device.path)
    await again.open()
    await again.close()
