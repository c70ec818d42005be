"""Offer the Modbus engine to the factory."""

from __future__ import annotations

from functools import partial

from wattmark_drivers.bus import SharedLines
from wattmark_drivers.engine import Engine
from wattmark_drivers.modbus.address import SCHEMES
from wattmark_drivers.modbus.air_time import line_load
from wattmark_drivers.modbus.line import ModbusLine
from wattmark_drivers.modbus.meter import ModbusMeter

LINES: SharedLines[ModbusLine] = SharedLines()
"""Gateways and serial ports, shared among all meters of this process."""
ENGINE = Engine(SCHEMES, partial(ModbusMeter, lines=LINES), line_load)
