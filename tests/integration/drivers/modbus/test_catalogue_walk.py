"""Each register of each declared Modbus meter is read back to the value that was put in, through two servers."""

from __future__ import annotations

import math
import struct

import pytest
from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.modbus_map import ModbusMap, Register, RegisterType, WordOrder
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.settings import MeterSettings

TABLES = {name: item.protocol for name, item in load_catalogue().items() if isinstance(item.protocol, ModbusMap)}
CODES = {"uint16": "H", "int16": "h", "uint32": "I", "int32": "i", "float32": "f", "uint64": "Q", "int64": "q",
         "float64": "d"}  # fmt: skip
SERIAL = 20_123_456


def put(kind: RegisterType, number: float, order: WordOrder) -> list[int]:
    """Lay a number into registers, independently of the driver."""
    raw = struct.pack(">" + CODES[kind.value], number if kind.is_float else round(number))
    words = [int.from_bytes(raw[i : i + 2], "big") for i in range(0, len(raw), 2)]
    return words if order is WordOrder.HIGH_FIRST else words[::-1]


def text_words(text: str) -> list[int]:
    """Lay a text into registers, two characters each, the first in the high byte (EM24-DIN protocol, table 2.9-12)."""
    return [ord(first) << 8 | ord(second) for first, second in zip(text[::2], text[1::2], strict=True)]


def number_for(index: int, register: Register) -> float:
    """Choose a raw number that no other register has and that lies within the limits."""
    low, high = register.limits or (0, 1000)
    value = low + (high - low) * (index + 1) / 64
    return struct.unpack(">f", struct.pack(">f", value / register.scale))[0]


def contents(table: ModbusMap, order: WordOrder) -> tuple[dict[tuple[str, int], int], dict[str, float]]:
    """Fill all registers; returns the words and the value expected of each channel."""
    words, expected = {}, {}
    for index, register in enumerate(table.registers):
        raw = number_for(index, register)
        space = "i" if register.function == 4 else "h"
        for offset, word in enumerate(put(register.type, raw, order)):
            words[space, register.address + offset] = word
        expected[register.channel] = (raw if register.type.is_float else round(raw)) * register.scale
    if table.serial_number:
        place = table.serial_number
        serial_words = (
            text_words(str(SERIAL)) if place.type == "text" else put(place.type, SERIAL, WordOrder.HIGH_FIRST)
        )
        for offset, word in enumerate(serial_words):
            words["h", place.address + offset] = word
    return words, expected


async def check(model: str, port: int, expected: dict[str, float], options: dict[str, str]) -> None:
    meter = create_meter(MeterSettings("wall", model, f"modbus-tcp://127.0.0.1:{port}/1", options=options))
    await meter.open()
    readings = await meter.read()
    await meter.close()
    assert {item.channel: item.value for item in readings} == expected
    assert len(set(expected.values())) == len(expected)
    assert all(item.quality is Quality.GOOD for item in readings)
    assert [item.id for item in meter.channels] == list(expected)
    assert meter.identity.serial == (str(SERIAL) if TABLES[model].serial_number else None)


@pytest.mark.parametrize("order", list(WordOrder))
@pytest.mark.parametrize("model", sorted(TABLES))
async def test_through_libmodbus(model, order, libmodbus):
    words, expected = contents(TABLES[model], order)
    await check(model, libmodbus.tcp(words), expected, {"word_order": order.value})


@pytest.mark.parametrize("model", sorted(TABLES))
async def test_through_pymodbus(model):
    table = TABLES[model]
    words, expected = contents(table, table.word_order)
    flat = {address: word for (_, address), word in words.items()}
    spans = [(block.address, block.retry_count or block.count) for block in table.blocks]
    spans += [(table.serial_number.address, table.serial_number.words)] if table.serial_number else []
    data = [
        SimData(start, values=[flat.get(start + i, 0) for i in range(count)], datatype=DataType.REGISTERS)
        for start, count in spans
    ]
    server = ModbusTcpServer(SimDevice(1, simdata=data), address=("127.0.0.1", 0))
    await server.serve_forever(background=True)
    try:
        await check(model, server.transport.sockets[0].getsockname()[1], expected, {})
    finally:
        await server.shutdown()


def marker(register: Register) -> float | None:
    """Choose the raw number by which the meter says that it has no value; None where it cannot say so."""
    if register.type.is_float:
        return math.nan
    return next(iter((*register.invalid, *register.overflow)), None)


@pytest.mark.parametrize("model", sorted(TABLES))
async def test_a_unit_without_a_value_says_so(model, libmodbus):
    table = TABLES[model]
    words, _ = contents(table, table.word_order)
    silent = {item.channel: raw for item in table.registers if (raw := marker(item)) is not None}
    for register in table.registers:
        if register.channel in silent:
            for offset, word in enumerate(put(register.type, silent[register.channel], table.word_order)):
                words["i" if register.function == 4 else "h", register.address + offset] = word
    port = libmodbus.tcp(words)
    meter = create_meter(MeterSettings("wall", model, f"modbus-tcp://127.0.0.1:{port}/1"))
    await meter.open()
    readings = await meter.read()
    await meter.close()
    assert {item.channel for item in readings if item.quality & Quality.INVALID} == set(silent)
    assert {item.channel for item in readings if math.isnan(item.value)} == set(silent)
