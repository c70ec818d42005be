"""What a declaration says about a register reaches the meter's channels."""

from __future__ import annotations

from importlib.resources import files

from wattmark_drivers.bus import SharedLines
from wattmark_drivers.catalogue import parse_declaration
from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.modbus.address import TcpAddress
from wattmark_drivers.modbus.meter import ModbusMeter
from wattmark_drivers.reading import Kind
from wattmark_drivers.settings import MeterSettings


def test_a_channel_says_where_its_counter_begins_again():
    text = files("wattmark_drivers.catalogue").joinpath("models", "eastron.sdm120.yaml").read_text("utf-8")
    declaration = parse_declaration(text.replace("kind: counter}", "kind: counter, wraps_at: 1.0e+7}", 1), "sdm.yaml")
    table = declaration.protocol
    assert isinstance(table, ModbusMap)
    meter = ModbusMeter(
        MeterSettings("wall", declaration.id, ""),
        declaration,
        table,
        TcpAddress("127.0.0.1", 1, 1),
        timeout_s=1,
        clock=SystemClock(),
        lines=SharedLines(),
    )
    counters = {item.id: item.wraps_at for item in meter.channels if item.kind is Kind.COUNTER}
    assert counters == {"energy_import": 1e7, "energy_export": None}
    assert {item.wraps_at for item in meter.channels if item.kind is not Kind.COUNTER} == {None}
