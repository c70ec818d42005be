"""RTU frames through a socket, against pymodbus's server, and what a gateway of the other kind looks like."""

from __future__ import annotations

import struct

import pytest
from pymodbus.framer import FramerType
from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.settings import MeterSettings


def sdm120(unit: int, power_w: float) -> SimDevice:
    values = [0] * 78
    values[12:14] = struct.unpack(">2H", struct.pack(">f", power_w))
    serial = SimData(0xFC00, values=[0, unit], datatype=DataType.REGISTERS)
    return SimDevice(unit, simdata=[SimData(0, values=values, datatype=DataType.REGISTERS), serial])


@pytest.fixture
async def gateway():
    server = ModbusTcpServer([sdm120(1, 100.0), sdm120(2, 200.0)], framer=FramerType.RTU, address=("127.0.0.1", 0))
    await server.serve_forever(background=True)
    yield server.transport.sockets[0].getsockname()[1]
    await server.shutdown()


def meter(url: str):
    return create_meter(MeterSettings("wall", "eastron.sdm120", url, timeout_s=0.5))


async def power(opened) -> tuple[float, Quality]:
    (reading,) = [item for item in await opened.read() if item.channel == "power"]
    return reading.value, reading.quality


async def test_two_meters_behind_one_gateway(gateway):
    first, second = (meter(f"modbus-rtu-tcp://127.0.0.1:{gateway}/{unit}") for unit in (1, 2))
    await first.open()
    await second.open()
    assert [await power(first), await power(second)] == [(100.0, Quality.GOOD), (200.0, Quality.GOOD)]
    assert (first.identity.serial, second.identity.serial) == ("1", "2")
    await first.close()
    await second.close()


async def test_a_gateway_cannot_be_both_kinds_at_once(gateway):
    opened = meter(f"modbus-rtu-tcp://127.0.0.1:{gateway}/1")
    await opened.open()
    with pytest.raises(ConfigurationError, match="in use with other line settings"):
        await meter(f"modbus-tcp://127.0.0.1:{gateway}/2").open()
    assert await power(opened) == (100.0, Quality.GOOD)
    await opened.close()


async def test_modbus_tcp_spoken_to_an_rtu_gateway_is_no_answer(gateway):
    with pytest.raises(ConnectionFailed):
        await meter(f"modbus-tcp://127.0.0.1:{gateway}/1").open()


async def test_an_address_without_a_port_is_told_the_form():
    with pytest.raises(ConfigurationError, match=r"names no port.*modbus-rtu-tcp://HOST:PORT/DEVICE_ID"):
        meter("modbus-rtu-tcp://gateway/1")
