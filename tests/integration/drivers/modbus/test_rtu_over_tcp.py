"""RTU frames through a socket, against pymodbus's server, and what a gateway of the other kind looks like."""

from __future__ import annotations

import pytest
from pymodbus.framer import FramerType
from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.reading import Quality

from tests.open_meter import open_meter

from .frames import POWER, float_words, power, sdm120_at


def sdm120(unit: int, power_w: float) -> SimDevice:
    values = [0] * 78
    values[POWER : POWER + 2] = float_words(power_w)
    serial = SimData(0xFC00, values=[0, unit], datatype=DataType.REGISTERS)
    return SimDevice(unit, simdata=[SimData(0, values=values, datatype=DataType.REGISTERS), serial])


@pytest.fixture
async def gateway():
    server = ModbusTcpServer([sdm120(1, 100.0), sdm120(2, 200.0)], framer=FramerType.RTU, address=("127.0.0.1", 0))
    await server.serve_forever(background=True)
    yield server.transport.sockets[0].getsockname()[1]
    await server.shutdown()


async def test_two_meters_behind_one_gateway(gateway):
    first, second = (sdm120_at(f"modbus-rtu-tcp://127.0.0.1:{gateway}/{unit}") for unit in (1, 2))
    async with open_meter(first):
        await second.open()
        assert [await power(first), await power(second)] == [(100.0, Quality.GOOD), (200.0, Quality.GOOD)]
        assert (first.identity.serial, second.identity.serial) == ("1", "2")
    await second.close()


async def test_a_gateway_cannot_be_both_kinds_at_once(gateway):
    async with open_meter(sdm120_at(f"modbus-rtu-tcp://127.0.0.1:{gateway}/1")) as opened:
        with pytest.raises(ConfigurationError, match="in use with other line settings"):
            await sdm120_at(f"modbus-tcp://127.0.0.1:{gateway}/2").open()
        assert await power(opened) == (100.0, Quality.GOOD)


async def test_modbus_tcp_spoken_to_an_rtu_gateway_is_no_answer(gateway):
    with pytest.raises(ConnectionFailed):
        await sdm120_at(f"modbus-tcp://127.0.0.1:{gateway}/1").open()


async def test_an_address_without_a_port_is_told_the_form():
    with pytest.raises(ConfigurationError, match=r"names no port.*modbus-rtu-tcp://HOST:PORT/DEVICE_ID"):
        sdm120_at("modbus-rtu-tcp://gateway/1")
