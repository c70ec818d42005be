"""Simulated Modbus meters on serial lines and behind RTU gateways, read by mbpoll, by pymodbus and by our driver."""

from __future__ import annotations

import asyncio
import re
import struct
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from pymodbus.client import AsyncModbusTcpClient
from pymodbus.framer import FramerType
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed, DriverError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.simulated_lab import SimulatedLab
from wattmark_drivers.speakers.faults import (
    Delay,
    Disconnect,
    Drop,
    ExceptionCode,
    Fault,
    Garbage,
    Saturation,
    Torn,
    Unplug,
    WrongChecksum,
)
from wattmark_drivers.speakers.indication import QUANTITIES, Indication
from wattmark_drivers.speakers.modbus.line import ModbusLine, Transport
from wattmark_drivers.speakers.modbus.meter import FAULTS, ModbusMeter

from tests.open_meter import open_meter

MODEL = "eastron.sdm120"
TABLE = load_catalogue()[MODEL].protocol
assert isinstance(TABLE, ModbusMap)
POWER_W = 612.5
GOOD = (POWER_W, Quality.GOOD)
RETRIED = (POWER_W, Quality.RETRIED)
Start = Callable[..., "asyncio.Future[tuple[ModbusMeter, str]]"]


def indication(power_w: float) -> Indication:
    values = {quantity: float(n) for n, quantity in enumerate(QUANTITIES)} | {"power": power_w}
    return Indication((values,), values, 0.0)


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Callable[..., object]]:
    """Start simulated meters that stop with the test."""
    running: list[ModbusMeter] = []

    async def started(transport: Transport, power_w: float = POWER_W, line: ModbusLine | None = None):
        line = line or ModbusLine(transport, path=tmp_path / "ttyS0")
        meter = ModbusMeter(TABLE, serial=1, transport=transport, line=line)
        meter.show(indication(power_w))
        running.append(meter)
        return meter, (await meter.start())["url"]

    yield started
    for meter in running:
        await meter.stop()


def driver(url: str, timeout_s: float = 0.6) -> Meter:
    return create_meter(MeterSettings("wall", MODEL, url, timeout_s=timeout_s))


async def power(opened: Meter) -> tuple[float, Quality]:
    (reading,) = [item for item in await opened.read() if item.channel == "power"]
    return reading.value, reading.quality


async def mbpoll(url: str, device: int = 1) -> float:
    argv = ["mbpoll", "-m", "rtu", "-b", "38400", "-P", "none", "-a", str(device), "-0", "-1", "-t", "3:float", "-B",
            "-r", "12", "-c", "1", urlsplit(url).path]  # fmt: skip
    process = await asyncio.create_subprocess_exec(
        *argv, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    output, complained = await asyncio.wait_for(process.communicate(), 60)
    match = re.search(r"^\[12\]:\s+(\S+)", output.decode(), re.MULTILINE)
    if match is None:
        raise ConnectionError(complained.decode())
    return float(match[1])


async def test_mbpoll_reads_a_serial_meter(start):
    _, url = await start("rtu")
    assert await mbpoll(url) == POWER_W


async def test_mbpoll_tells_two_meters_on_one_line_apart_and_nobody_is_a_third(start, tmp_path):
    line = ModbusLine("rtu", path=tmp_path / "bus")
    _, first = await start("rtu", 100.0, line)
    _, second = await start("rtu", 200.0, line)
    assert urlsplit(first).path == urlsplit(second).path
    assert [await mbpoll(first, 1), await mbpoll(second, 2)] == [100.0, 200.0]
    with pytest.raises(ConnectionError, match="timed out"):
        await mbpoll(first, 3)


async def test_pymodbus_reads_rtu_over_tcp(start):
    _, url = await start("rtu-tcp")
    client = AsyncModbusTcpClient("127.0.0.1", port=urlsplit(url).port, framer=FramerType.RTU, retries=0)
    assert await client.connect()
    answer = await client.read_input_registers(12, count=2, device_id=1)
    client.close()
    assert struct.unpack(">f", struct.pack(">2H", *answer.registers)) == (POWER_W,)


@pytest.mark.parametrize("transport", ["tcp", "rtu", "rtu-tcp"])
async def test_our_driver_reads_every_meter_of_a_line(transport, start, tmp_path):
    line = ModbusLine(transport, path=tmp_path / "bus")
    meters = [driver((await start(transport, 100.0 * n, line))[1]) for n in range(1, 5)]
    for meter in meters:
        await meter.open()
    values = await asyncio.gather(*(power(meter) for meter in meters))
    assert values == [(100.0 * n, Quality.GOOD) for n in range(1, 5)]
    for meter in meters:
        await meter.close()


EXPECTED: list[tuple[Fault, object]] = [
    (Delay(kind="delay", seconds=0.05), GOOD),
    (Delay(kind="delay", seconds=1.0), RETRIED),
    (Drop(kind="drop"), RETRIED),
    (Drop(kind="drop", count=2), ConnectionFailed),
    (ExceptionCode(kind="exception", code=6), RETRIED),
    (ExceptionCode(kind="exception", code=2), BadReply),
    (Torn(kind="torn"), RETRIED),
    (Saturation(kind="saturation"), Quality.SATURATED),
]
RTU_ONLY: list[tuple[Fault, object]] = [
    (WrongChecksum(kind="wrong-checksum"), RETRIED),
    (Garbage(kind="garbage"), GOOD),
]
TCP_ONLY: list[tuple[Fault, object]] = [
    (Disconnect(kind="disconnect"), RETRIED),
    # Without a checksum nothing tells where the next frame begins: the connection is given up.
    (Garbage(kind="garbage"), ConnectionFailed),
]
CASES = [
    *(("tcp", *case) for case in [*EXPECTED, *TCP_ONLY]),
    *(("rtu", *case) for case in [*EXPECTED, *RTU_ONLY]),
    *(("rtu-tcp", *case) for case in [*EXPECTED, *RTU_ONLY, TCP_ONLY[0]]),
]


@pytest.mark.parametrize(("transport", "fault", "expected"), CASES)
async def test_no_fault_gives_a_wrong_value_as_good(transport, fault, expected, start):
    meter, url = await start(transport)
    async with open_meter(driver(url)) as opened:
        meter.inject(fault)
        meter.show(indication(POWER_W))
        if isinstance(expected, tuple):
            assert await power(opened) == expected
        elif isinstance(expected, Quality):
            value, quality = await power(opened)
            assert value != POWER_W
            assert quality & expected
            assert not quality.usable
        else:
            assert isinstance(expected, type)
            with pytest.raises(expected):
                await power(opened)
            await opened.open()
        assert await power(opened) == GOOD


async def test_an_unplugged_line_is_lost_and_comes_back_under_its_path(start):
    meter, url = await start("rtu")
    async with open_meter(driver(url)) as opened:
        meter.inject(Unplug(kind="unplug", seconds=3))
        with pytest.raises(ConnectionFailed):
            await opened.read()
        with pytest.raises(ConnectionFailed, match="No connection"):
            await opened.open()
        while not Path(urlsplit(url).path).exists():
            await asyncio.sleep(0.02)
        await opened.open()
        assert await power(opened) == GOOD


@pytest.mark.parametrize("transport", ["tcp", "rtu", "rtu-tcp"])
def test_faults_of_another_transport_are_refused(transport, tmp_path):
    meter = ModbusMeter(TABLE, serial=1, transport=transport, line=ModbusLine(transport, path=tmp_path / "x"))
    strange = {"tcp": WrongChecksum(kind="wrong-checksum"), "rtu": Disconnect(kind="disconnect"),
               "rtu-tcp": Unplug(kind="unplug", seconds=1)}[transport]  # fmt: skip
    assert type(strange) not in FAULTS[transport]
    with pytest.raises(ConfigurationError, match="does not support the fault"):
        meter.inject(strange)


@pytest.mark.parametrize("cut", range(1, 8))
async def test_half_a_request_is_forgotten(cut, start):
    """A master that starts anew after a silence is understood (Modbus over serial line V1.02, 2.5.1.1)."""
    _, url = await start("rtu-tcp")
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(url).port)
    request = bytes.fromhex("01 04 00 00 00 02 71 CB")
    writer.write(request[:cut])
    await asyncio.sleep(0.1)
    writer.write(request)
    assert (await asyncio.wait_for(reader.readexactly(9), 30))[:3] == b"\x01\x04\x04"
    writer.close()
    await writer.wait_closed()


async def test_a_lab_puts_devices_on_one_line():
    spec = {
        "servers": {"sut": {"idle_w": 300, "dynamic_w": 0, "dimms": 4}},
        "devices": {
            "a": {"model": MODEL, "measures": ["sut/psu1"], "transport": "rtu", "line": "bus"},
            "b": {"model": "janitza.umg96", "measures": ["sut/psu2"], "transport": "rtu", "line": "bus"},
            "c": {"model": MODEL, "measures": ["sut"], "transport": "rtu-tcp"},
        },
    }
    async with SimulatedLab(spec) as lab:
        urls = {name: device.url for name, device in lab.devices.items()}
        parts = {name: urlsplit(url) for name, url in urls.items()}
        assert parts["a"].path == parts["b"].path
        assert ("device=1" in urls["a"], "device=2" in urls["b"]) == (True, True)
        watts = []
        for name, model in (("a", MODEL), ("b", "janitza.umg96"), ("c", MODEL)):
            async with open_meter(create_meter(MeterSettings(name, model, urls[name]))) as meter:
                watts.append((await power(meter))[0])
        assert watts[0] + watts[1] == pytest.approx(watts[2], rel=0.02)
        lab.inject("a", kind="unplug", seconds=3600)
        with pytest.raises(DriverError):
            await create_meter(MeterSettings("b", "janitza.umg96", urls["b"], timeout_s=0.1)).open()
