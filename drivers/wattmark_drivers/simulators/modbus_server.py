"""A Modbus TCP meter: any declaration of the catalogue on a loopback port, by pymodbus's server."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, cast

from pymodbus.constants import ExcCodes
from pymodbus.pdu import ExceptionResponse, ModbusPDU
from pymodbus.pdu.register_message import ReadHoldingRegistersRequest, ReadHoldingRegistersResponse
from pymodbus.server import ModbusTcpServer
from pymodbus.server.requesthandler import ServerRequestHandler
from pymodbus.simulator import DataType, SimData, SimDevice

from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.simulators.faults import (
    Delay,
    Disconnect,
    Drop,
    ExceptionCode,
    Fault,
    FaultQueue,
    WrongValue,
)
from wattmark_drivers.simulators.loopback import LOOPBACK, port_taken
from wattmark_drivers.simulators.meter_model import Indication
from wattmark_drivers.simulators.modbus_registers import encode, register_image
from wattmark_drivers.simulators.wire import WireSpec

SERIAL_MARK = b"SIM"


def serial_number(index: int) -> int:
    """Make the serial number of simulated unit ``index``: the ASCII letters "SIM", then the index (0x53494Dxx)."""
    return int.from_bytes(SERIAL_MARK + bytes([index & 0xFF]), "big")


class ModbusMeter:
    """The wire side of one simulated meter.

    Like the real ones it answers an unknown unit as a gateway does (code 11), refuses odd or too long requests (code 3)
    and half numbers (code 2) where its declaration says so, and every function but 3 and 4 (code 1).
    """

    def __init__(self, table: ModbusMap, *, serial: int, port: int = 0, unit: int = 1) -> None:
        self._table = table
        self._unit = unit
        self._port = port
        self._fixed = _serial_registers(table, serial)
        self._image: Mapping[tuple[int, int], int] = self._fixed
        self._server: _Server | None = None
        self.faults = FaultQueue(Delay, Drop, ExceptionCode, Disconnect, WrongValue)

    async def start(self) -> dict[str, str]:
        """Listen on loopback and tell the address. Raises `ConnectionFailed` when the port is taken."""
        blocks = ([_unused_bit()], [_unused_bit()], self._block(3), self._block(4))
        server = _Server(SimDevice(id=self._unit, simdata=blocks, action=self._refresh), address=(LOOPBACK, self._port))
        server.meter = self
        if not await server.listen():
            raise port_taken("TCP", self._port)
        self._server = server
        port = cast("Any", server.transport).sockets[0].getsockname()[1]
        return {"url": f"modbus-tcp://{LOOPBACK}:{port}/{self._unit}"}

    async def stop(self) -> None:
        """Close the port and all connections."""
        if self._server is not None:
            await self._server.shutdown()  # type: ignore[no-untyped-call]

    def show(self, indication: Indication) -> None:
        """Put a new indication into the registers, all at once."""
        self._image = {**register_image(self._table, indication), **self._fixed}

    def inject(self, fault: Fault) -> None:
        """Let a fault hit the next answers. Raises `ConfigurationError` for one that this meter cannot have."""
        channels = {register.channel for register in self._table.registers}
        if isinstance(fault, WrongValue) and fault.channel not in channels:
            raise ConfigurationError(
                f"The meter has no channel {fault.channel}.", f"It has: {', '.join(sorted(channels))}."
            )
        self.faults.add(fault)

    def refusal(self, request: ModbusPDU) -> ExcCodes | None:
        """Tell with which exception code the real meter refuses a request; None when it answers."""
        if request.dev_id != self._unit:
            return ExcCodes.GATEWAY_NO_RESPONSE
        if not isinstance(request, ReadHoldingRegistersRequest):
            return ExcCodes.ILLEGAL_FUNCTION
        if request.count > self._table.max_registers or (self._table.even_counts and request.count % 2):
            return ExcCodes.ILLEGAL_VALUE
        if self._table.whole_values and self._table.cuts(request.function_code, request.address, request.count):
            return ExcCodes.ILLEGAL_ADDRESS
        return None

    def falsify(self, request: ModbusPDU, response: ModbusPDU, fault: WrongValue) -> None:
        """Overwrite one channel in an answer that contains it."""
        register = next(item for item in self._table.registers if item.channel == fault.channel)
        missing = register.invalid[0] if register.invalid else math.nan
        raw = missing if fault.value is None else fault.value / register.scale
        offset = register.address - request.address
        if isinstance(response, ReadHoldingRegistersResponse) and 0 <= offset <= request.count - register.type.words:
            words = encode(raw, register.type, self._table.word_order)
            before, after = response.registers[:offset], response.registers[offset + len(words) :]
            response.registers = [*before, *words, *after]

    async def _refresh(
        self,
        function_code: int,
        start_address: int,
        address: int,
        count: int,
        current_registers: list[int],
        _set_values: list[int] | list[bool] | None,
    ) -> ExcCodes | None:
        for wire_address in range(address, address + count):
            current_registers[wire_address - start_address] = self._image.get((function_code, wire_address), 0)
        return None

    def _block(self, function: int) -> list[SimData]:
        addresses = {address for code, address in self._fixed if code == function}
        for block in self._table.blocks:
            if block.function == function:
                addresses.update(range(block.address, block.address + max(block.count, block.retry_count or 0)))
        return [
            SimData(first, values=[0] * count, datatype=DataType.REGISTERS) for first, count in _runs(addresses)
        ] or [SimData(0, datatype=DataType.INVALID)]


def make_wire(device: WireSpec) -> ModbusMeter:
    """Make the wire side of any Modbus model of the catalogue."""
    table = device.declaration.protocol
    if not isinstance(table, ModbusMap):
        raise TypeError(f"{device.declaration.id} is not a Modbus meter")
    return ModbusMeter(table, serial=serial_number(device.serial), port=device.spec.port)


class _Server(ModbusTcpServer):
    meter: ModbusMeter

    def callback_new_connection(self) -> ServerRequestHandler:
        return _Connection(self, None, None, None)  # type: ignore[no-untyped-call]


class _Connection(ServerRequestHandler):
    def server_send(self, pdu: ModbusPDU, addr: Any) -> None:
        """Send what pymodbus answers, unless the real meter refuses the request or a fault is due."""
        request, meter = self.last_pdu, self.server.meter
        if request is None:
            self._send(pdu, addr)
            return
        code = meter.refusal(request)
        fault = meter.faults.take()
        if isinstance(fault, ExceptionCode):
            code = ExcCodes(fault.code)
        if code is not None:
            pdu = ExceptionResponse(request.function_code, code, request.dev_id, request.transaction_id)
        match fault:
            case Drop():
                return
            case Disconnect():
                self.close()
            case Delay():
                self.loop.call_later(fault.seconds, self._send, pdu, addr)
            case WrongValue():
                meter.falsify(request, pdu, fault)
                self._send(pdu, addr)
            case _:
                self._send(pdu, addr)

    def _send(self, pdu: ModbusPDU, addr: Any) -> None:
        if self.transport:
            self.pdu_send(pdu, addr)


def _serial_registers(table: ModbusMap, serial: int) -> dict[tuple[int, int], int]:
    if table.serial_number is None:
        return {}
    words = encode(serial, table.serial_number.type, table.word_order)
    return {(table.serial_number.function, table.serial_number.address + i): word for i, word in enumerate(words)}


def _runs(addresses: set[int]) -> list[tuple[int, int]]:
    """Group addresses into runs: (first, count)."""
    ordered = sorted(addresses)
    breaks = [0, *(i + 1 for i, (low, high) in enumerate(pairwise(ordered)) if high != low + 1), len(ordered)]
    return [(ordered[begin], end - begin) for begin, end in pairwise(breaks) if end > begin]


def _unused_bit() -> SimData:
    """Fill the places of coils and discrete inputs, which pymodbus demands and meters do not have."""
    return SimData(0, values=False, datatype=DataType.BITS)
