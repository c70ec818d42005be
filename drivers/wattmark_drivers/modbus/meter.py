"""Any Modbus meter that the catalogue declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from wattmark_drivers.bus import SharedLines
from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.modbus_map import ModbusMap, RegisterBlock, WordOrder
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.exchange import REMEDY, Exchanged, require_same
from wattmark_drivers.identity import identify, may_be_simulated
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.modbus.address import ModbusAddress, TcpAddress, label
from wattmark_drivers.modbus.chosen import chosen_registers
from wattmark_drivers.modbus.exception_codes import PASSING
from wattmark_drivers.modbus.identity import is_simulated, read_serial_number, require_model
from wattmark_drivers.modbus.layout import Layout, lay_out
from wattmark_drivers.modbus.line import ExceptionReply, ModbusLine, NoAnswer
from wattmark_drivers.modbus.request import ModbusAnswer, Request
from wattmark_drivers.reading import Channel, Kind, Quality, Reading
from wattmark_drivers.settings import MeterSettings


class PlannedBlock(NamedTuple):
    """A block that is read in one request: the request, the one with the other length, and what its bytes mean."""

    usual: Request
    other: Request
    layout: Layout
    shown: list[tuple[str, str, Kind]]
    """Channel, unit and kind of each value of the layout."""


class ModbusMeter:
    """Reads each block of the declaration in one request and retries once, after silence, with another length."""

    pushes = False

    def __init__(
        self,
        settings: MeterSettings,
        declaration: Declaration,
        registers: ModbusMap,
        address: ModbusAddress,
        *,
        timeout_s: float,
        clock: Clock,
        lines: SharedLines[ModbusLine],
    ) -> None:
        self._settings = settings
        self._declaration = declaration
        self._map = chosen_registers(settings, registers)
        self._address = address
        self._timeout_s = timeout_s
        self._clock = clock
        self._lines = lines
        self._line: ModbusLine | None = None
        self._in_doubt = False
        self._confirmed: int | None = None
        """Connection of the line on which the unit's identity was checked; None before that."""
        self._silent_at_mark = False
        """The unit does not even refuse the reserved registers: they are not read again."""
        self._blocks = [self._plan(block) for block in self._map.blocks]
        self._alone = {
            field.register.channel: -field.scale
            for block in self._blocks
            if not block.layout.whole
            for field in block.layout.fields
        }
        """Signed integers that are read alone, each as -1."""
        measuring = declaration.range(settings.range)
        self._range = measuring.id if measuring else None
        self._identity = identify(settings, declaration)

    @property
    def identity(self) -> MeterIdentity:
        """Describe the meter; the serial number is known after `open`."""
        return self._identity

    @property
    def channels(self) -> Sequence[Channel]:
        """List the declared channels, or those of them that were chosen."""
        return [
            Channel(
                register.channel,
                register.quantity,
                register.unit,
                self._declaration.kind_of(register),
                register.label,
                register.step,
                wraps_at=register.wraps_at,
            )
            for register in self._map.registers
        ]

    async def open(self) -> None:
        """Connect, read everything once and who the unit is. Raises a `DriverError`."""
        await self.close()
        self._line = self._lines.acquire(label(self._address), lambda: ModbusLine(self._address, self._clock))
        self._silent_at_mark = False
        try:
            self._line.check_settings(self._address)
            await self._read_as_declared(self._line)
            self._confirmed = self._line.connections
            serial = await read_serial_number(self._line, self._map, self._request)
            simulated = await self._tells_mark(self._line, serial)
        except BaseException:
            await self.close()
            raise
        self._identity = identify(self._settings, self._declaration, serial, simulated=simulated)

    async def _read_as_declared(self, line: ModbusLine) -> None:
        """Read everything once from a unit of the declared model; one that refuses may be another model."""
        try:
            await self._read_blocks()
        except ExceptionReply:
            await require_model(line, self._declaration, self._map, self._request)
            raise
        await require_model(line, self._declaration, self._map, self._request)

    async def _tells_mark(self, line: ModbusLine, serial: str | None) -> bool:
        """Ask whether a simulator answers, unless the serial number shows that none does."""
        if self._silent_at_mark or not may_be_simulated(serial):
            return False
        simulated = await is_simulated(line, self._request)
        self._silent_at_mark = simulated is None
        return simulated or False

    async def read(self) -> list[Reading]:
        """Read all blocks; after a reconnection of the line, only from the unit that was opened.

        Raises `BadReply`, or `ConnectionFailed` when the device is gone or another one has taken its place.
        """
        readings = await self._read_blocks()
        if self._line is not None and self._confirmed != self._line.connections:
            await self._confirm(self._line)
        return readings

    async def _confirm(self, line: ModbusLine) -> None:
        """Check the unit's identity, where it was known before. Raises `Exchanged`, or the error of its answer."""
        connection = line.connections
        before = self._identity
        if before.serial is not None:
            require_same(before, serial=await read_serial_number(line, self._map, self._request))
        simulated = self._settings.simulated or await self._tells_mark(line, before.serial)
        if simulated != before.simulated:
            was, now = ("simulated", "real") if before.simulated else ("real", "simulated")
            raise Exchanged(f"Meter {before.name} answered as a {now} device, was a {was} one.", REMEDY)
        # Another device may answer on a connection that was made during the check.
        if line.connections != connection:
            raise BadReply(
                f"{label(self._address)} was reconnected during the request.", "wattmark retries automatically."
            )
        self._confirmed = connection

    async def _read_blocks(self) -> list[Reading]:
        readings: list[Reading] = []
        for block in self._blocks:
            readings += await self._read_block(block)
        if self._alone and any(reading.quality & Quality.NO_VALUE for reading in readings):
            return [self._doubt_alone(reading) for reading in readings]
        return readings

    def _doubt_alone(self, reading: Reading) -> Reading:
        """Mark an integer of -1 that is read alone, where another block of the same poll was all ones."""
        if reading.value != self._alone.get(reading.channel):
            return reading
        return reading._replace(quality=reading.quality | Quality.INVALID | Quality.NO_VALUE)

    async def close(self) -> None:
        """Release the share in the line."""
        if self._line is not None:
            self._line = None
            unused = self._lines.release(label(self._address))
            if unused is not None:
                unused.close()

    def _lay_out(self, block: RegisterBlock) -> Layout:
        order = self._settings.options.get("word_order", self._map.word_order)
        if order not in list(WordOrder):
            problem = f"Meter {self._settings.name}: word_order is {order}."
            raise ConfigurationError(problem, f"Write {' or '.join(WordOrder)}.")
        return lay_out(block, self._map.registers, WordOrder(order))

    async def _read_block(self, block: PlannedBlock) -> list[Reading]:
        retried = Quality.GOOD
        try:
            answer = await self._ask(block)
        except (NoAnswer, BadReply) as error:
            if isinstance(error, ExceptionReply) and error.code not in PASSING:
                raise
            # The answer may be a late one to the first request, and so older than its stamp says.
            retried = Quality.RETRIED
            answer = await self._ask(block)
        return self._show(block, answer, retried)

    def _show(self, block: PlannedBlock, answer: ModbusAnswer, retried: Quality) -> list[Reading]:
        values = block.layout.decode(answer.data)
        if retried:
            values = [(value, quality | retried) for value, quality in values]
        t_ns, u_t_ns, measuring = answer.stamp.t_ns, answer.stamp.u_t_ns, self._range
        return [
            Reading(channel, value, unit, t_ns, u_t_ns, kind, measuring, quality)
            for (channel, unit, kind), (value, quality) in zip(block.shown, values, strict=True)
        ]

    async def _ask(self, block: PlannedBlock) -> ModbusAnswer:
        """Read a block; after a failure with its other length, so that a late answer is recognised by its count.

        For a device that refuses the other length, the usual one is requested again.
        """
        if self._line is None:
            raise ConnectionFailed(f"Meter {self._settings.name} is not open.")
        try:
            return await self._line.read(block.other if self._in_doubt else block.usual)
        except ExceptionReply as error:
            self._in_doubt = self._in_doubt and error.code in PASSING
            raise
        except (NoAnswer, BadReply):
            self._in_doubt = not self._in_doubt
            raise

    def _plan(self, block: RegisterBlock) -> PlannedBlock:
        layout = self._lay_out(block)
        usual = self._request(block.function, block.address, block.count)
        other = self._request(block.function, block.address, block.retry_count) if block.retry_count else usual
        fields = [field.register for field in layout.fields]
        shown = [(item.channel, item.unit, self._declaration.kind_of(item)) for item in fields]
        return PlannedBlock(usual, other, layout, shown)

    def _request(self, function: int, address: int, count: int) -> Request:
        serial = not isinstance(self._address, TcpAddress)
        return Request(
            device_id=self._address.device_id,
            function=function,
            address=address,
            count=count,
            timeout_s=self._timeout_s,
            request_gap_s=self._map.request_gap_s if serial else 0.0,
            quiet_gap_s=self._map.quiet_gap_s,
        )
