"""Any Modbus meter of the catalogue on a TCP port, on a TCP port with RTU frames, or on a pseudo-terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.speakers.face import Absent, Doorway, Face
from wattmark_drivers.speakers.faults import (
    Delay,
    Disconnect,
    Drop,
    ExceptionCode,
    Fault,
    FaultQueue,
    Garbage,
    Saturation,
    Torn,
    Unplug,
    WrongChecksum,
    WrongValue,
)
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.modbus.line import ModbusLine, Transport
from wattmark_drivers.speakers.modbus.unit import ModbusUnit, serial_number
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec

COMMON_FAULTS: tuple[type[Fault], ...] = (Delay, Drop, ExceptionCode, WrongValue, Saturation, Garbage, Torn)
FAULTS: dict[Transport, tuple[type[Fault], ...]] = {
    "tcp": (*COMMON_FAULTS, Disconnect),
    "rtu-tcp": (*COMMON_FAULTS, WrongChecksum, Disconnect),
    "rtu": (*COMMON_FAULTS, WrongChecksum, Unplug),
}


class ModbusMeter(Speaker):
    """The speaker of one meter; without a line it has a TCP port of its own.

    An unknown unit id is answered on TCP as a gateway does (code 11), and not at all on a serial line.
    """

    def __init__(
        self,
        table: ModbusMap,
        *,
        serial: int,
        port: int = 0,
        unit: int | None = None,
        transport: Transport = "tcp",
        line: ModbusLine | None = None,
        face: Face | None = None,
        door: Doorway | None = None,
    ) -> None:
        self._transport = transport
        self._line = line or ModbusLine(transport, port=port, door=door)
        self.askers = self._line.askers
        self._unit = ModbusUnit(table, serial, FaultQueue(*FAULTS[transport]), face)
        self._device_id = self._line.join(self._unit, unit)

    async def start(self) -> dict[str, str]:
        """Listen and return the address. Raises `ConnectionFailed` when the port is taken."""
        await self._line.start()
        return {"url": self._line.url(self._device_id)}

    @property
    def upkeep(self) -> Sequence[asyncio.Task[None]]:
        return self._line.upkeep

    async def stop(self) -> None:
        """Stop the device; the last one closes the line."""
        await self._line.stop()

    def show(self, indication: Indication | None, absent: Absent | None = None) -> None:
        self._unit.show(indication, absent)

    def inject(self, fault: Fault) -> None:
        """Unplug at once, or let a fault hit the next answers. Raises `ConfigurationError` for an impossible one."""
        if isinstance(fault, Unplug) and self._transport == "rtu":
            self._line.unplug(fault.seconds)
        else:
            self._unit.inject(fault)


def make_speaker(device: SpeakerSpec) -> ModbusMeter:
    """Create the speaker of any Modbus model of the catalogue."""
    table = device.declaration.protocol
    if not isinstance(table, ModbusMap):
        raise TypeError(f"{device.declaration.id} is not a Modbus meter")
    transport: Transport = device.transport if device.transport in ("rtu", "rtu-tcp") else "tcp"
    line = None
    if device.line is not None or transport == "rtu":
        name = device.line or device.name
        made = device.around.lines.get(name)
        line = made or ModbusLine(
            transport, port=device.port, path=device.around.folder / name, door=device.door if device.face else None
        )
        device.around.lines[name] = line
    return ModbusMeter(
        table,
        serial=serial_number(device.serial),
        port=device.port,
        unit=device.unit,
        transport=transport,
        line=line,
        face=device.face,
        door=device.door if device.face else None,
    )
