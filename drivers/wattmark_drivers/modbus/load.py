"""What a Modbus meter takes of the serial line that it shares."""

from __future__ import annotations

from functools import partial

from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.engine import LineLoad
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.modbus.address import ModbusAddress, TcpAddress, label
from wattmark_drivers.modbus.air_time import poll_s
from wattmark_drivers.modbus.chosen import chosen_registers
from wattmark_drivers.settings import MeterSettings

BAUDS = (2400, 4800, 9600, 19200, 38400, 57600, 115200)


def line_load(settings: MeterSettings, registers: ModbusMap, address: ModbusAddress) -> LineLoad | None:
    """Compute it from the blocks that are read and the line's settings; None on TCP, whose line nobody tells about."""
    if isinstance(address, TcpAddress):
        return None
    poll = partial(
        poll_s,
        [block.count for block in chosen_registers(settings, registers).blocks],
        parity=address.parity,
        stopbits=address.stopbits,
        gap_s=registers.request_gap_s,
        answer_s=answer_s(settings, registers),
    )
    faster = {f"{baud} baud": poll(baud=baud) for baud in BAUDS if baud > address.baud}
    return LineLoad(label(address), f"{address.baud} baud", poll(baud=address.baud), faster)


def answer_s(settings: MeterSettings, registers: ModbusMap) -> float:
    """Return the time that the meter needs to answer [s]: the measured one of the bench file, else the declared one."""
    answer_s = settings.options.get("answer_s", registers.answer_s)
    if isinstance(answer_s, str) or not 0 <= answer_s <= 60:
        raise ConfigurationError(f"Meter {settings.name}: answer_s is {answer_s}.", "Write seconds from 0 to 60.")
    return float(answer_s)
