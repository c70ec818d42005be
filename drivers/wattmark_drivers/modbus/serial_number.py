"""Read the serial number of a Modbus meter."""

from __future__ import annotations

import struct
from collections.abc import Callable

from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.modbus.exception_codes import PASSING
from wattmark_drivers.modbus.layout import CODES
from wattmark_drivers.modbus.line import ExceptionReply, ModbusLine
from wattmark_drivers.modbus.request import Request


async def read_serial_number(
    line: ModbusLine, registers: ModbusMap, request: Callable[[int, int, int], Request]
) -> str | None:
    """Read the unit's serial number; None where the model declares none or the unit does not tell.

    Raises `BadReply` and `ConnectionFailed`: who cannot answer now may tell later.
    """
    place = registers.serial_number
    if place is None:
        return None
    try:
        answer = await line.read(request(place.function, place.address, place.type.words))
    except ExceptionReply as error:
        if error.code in PASSING:
            raise
        return None
    return str(struct.unpack(f">{CODES[place.type]}", answer.data)[0])
