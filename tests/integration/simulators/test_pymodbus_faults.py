"""Faults on the wire, seen by pymodbus's client."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from pymodbus.client import AsyncModbusTcpClient
from pymodbus.exceptions import ModbusException
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.speakers.faults import (
    Delay,
    Disconnect,
    Drop,
    ExceptionCode,
    Fault,
    Silence,
    WrongValue,
)
from wattmark_drivers.speakers.indication import QUANTITIES, Indication
from wattmark_drivers.speakers.modbus.meter import ModbusMeter, serial_number

TABLE = load_catalogue()["eastron.sdm120"].protocol
assert isinstance(TABLE, ModbusMap)
VALUES = {quantity: float(i) for i, quantity in enumerate(QUANTITIES)}
INDICATION = Indication((VALUES,), VALUES, 0.0)
POWER_W = VALUES["power"]


@asynccontextmanager
async def connected(*faults: Fault) -> AsyncIterator[AsyncModbusTcpClient]:
    meter = ModbusMeter(TABLE, serial=serial_number(1))
    meter.show(INDICATION)
    url = (await meter.start())["url"]
    port = int(url.rpartition(":")[2].partition("/")[0])
    client = AsyncModbusTcpClient("127.0.0.1", port=port, timeout=0.8, retries=0)
    assert await client.connect()
    for fault in faults:
        meter.inject(fault)
    try:
        yield client
    finally:
        client.close()
        await meter.stop()


async def power_w(client: AsyncModbusTcpClient) -> float:
    answer = await client.read_input_registers(12, count=2)
    assert not answer.isError(), answer
    return float(client.convert_from_registers(answer.registers, client.DATATYPE.FLOAT32))


async def test_without_faults_it_answers() -> None:
    async with connected() as client:
        assert await power_w(client) == POWER_W


async def test_a_short_delay_only_takes_time() -> None:
    async with connected(Delay(kind="delay", seconds=0.15)) as client:
        begin = asyncio.get_running_loop().time()

        assert await power_w(client) == POWER_W
        assert asyncio.get_running_loop().time() - begin >= 0.15


async def test_a_dropped_answer_is_a_timeout_and_the_next_one_comes() -> None:
    async with connected(Drop(kind="drop")) as client:
        with pytest.raises(ModbusException, match="No response"):
            await power_w(client)

        assert await power_w(client) == POWER_W


async def test_a_late_answer_carries_the_number_of_its_own_request() -> None:
    """As a TCP gateway does: the client can tell that it does not belong to the next request."""
    async with connected(Delay(kind="delay", seconds=1.0)) as client:
        with pytest.raises(ModbusException, match="No response"):
            await power_w(client)
        answer = await client.read_input_registers(0, count=4)

        assert len(answer.registers) == 4


@pytest.mark.parametrize("code", [1, 2, 3, 4, 5, 6, 7, 8, 10, 11])
async def test_any_exception_code_can_be_sent(code: int) -> None:
    async with connected(ExceptionCode(kind="exception", code=code)) as client:
        answer = await client.read_input_registers(12, count=2)

        assert answer.isError()
        assert answer.exception_code == code
        assert await power_w(client) == POWER_W


async def test_a_broken_connection_can_be_opened_again() -> None:
    async with connected(Disconnect(kind="disconnect")) as client:
        with pytest.raises(ModbusException):
            await power_w(client)

        assert await client.connect()
        assert await power_w(client) == POWER_W


async def test_one_channel_lies_and_its_neighbours_do_not() -> None:
    async with connected(WrongValue(kind="wrong-value", channel="power", value=9999.0)) as client:
        answer = await client.read_input_registers(0, count=76)
        numbers = client.convert_from_registers(answer.registers, client.DATATYPE.FLOAT32)

        assert isinstance(numbers, list)
        assert (numbers[0], numbers[6], numbers[9]) == (0.0, 9999.0, VALUES["apparent_power"])
        assert await power_w(client) == POWER_W


async def test_a_missing_value_is_not_a_number() -> None:
    async with connected(WrongValue(kind="wrong-value", channel="power")) as client:
        assert math.isnan(await power_w(client))


async def test_writing_is_not_a_function_of_the_meter() -> None:
    async with connected() as client:
        answer = await client.write_register(12, 1)

        assert answer.exception_code == 1
        assert await power_w(client) == POWER_W


async def test_a_port_in_use_is_named() -> None:
    first = ModbusMeter(TABLE, serial=1)
    port = int((await first.start())["url"].rpartition(":")[2].partition("/")[0])
    try:
        with pytest.raises(ConnectionFailed, match=f"port {port} .* is in use"):
            await ModbusMeter(TABLE, serial=1, port=port).start()
    finally:
        await first.stop()


@pytest.mark.parametrize("fault", [Silence(kind="silence"), WrongValue(kind="wrong-value", channel="colour", value=1)])
def test_faults_that_it_cannot_have_are_refused(fault: Fault) -> None:
    with pytest.raises(ConfigurationError):
        ModbusMeter(TABLE, serial=1).inject(fault)
