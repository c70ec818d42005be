"""A line with Modbus devices on it: a TCP port, a TCP port that carries RTU frames, or a pseudo-terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from pymodbus.constants import ExcCodes
from pymodbus.framer import FramerBase, FramerRTU, FramerSocket
from pymodbus.pdu import DecodePDU, ExceptionResponse

from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.speakers.face import Askers, Doorway
from wattmark_drivers.speakers.faults import Delay, Disconnect, Drop, Fault, Garbage, Torn, WrongChecksum
from wattmark_drivers.speakers.loopback import LOOPBACK
from wattmark_drivers.speakers.modbus.unit import MARK_REQUEST, ModbusUnit
from wattmark_drivers.speakers.serial.pty_port import PtyPort
from wattmark_drivers.speakers.tcp_server import TcpServer

Transport = Literal["tcp", "rtu", "rtu-tcp"]
NOISE = b"\x00\xff\x13\x01\x04\xfe"
FORGET_S = 0.05
"""Silence after which the beginning of a request on a serial line counts no more."""
LONGEST_ADU = 260
SHORTEST_RTU = 4
MODBUS_PROTOCOL = b"\0\0"
"""Protocol identifier of a frame on TCP (MODBUS Messaging on TCP/IP V1.0b, 3.1.3)."""
DEVICE_IDS = range(1, 248)
WHOLE_DEVICE = (0, 255)
"""Unit ids with which a master on TCP asks the device itself (V1.0b, 4.4.1.2)."""
SERIAL_SETTINGS = "baud=38400&parity=N&stopbits=1"
"""What the address of a pseudo-terminal says; its bytes take no time whatever it says."""


class ModbusLine:
    """Devices by their ids. The first that starts brings the line up, the last that stops takes it down."""

    def __init__(
        self,
        transport: Transport,
        *,
        port: int = 0,
        path: Path | None = None,
        door: Doorway | None = None,
    ) -> None:
        self._transport = transport
        self._port = port
        self._door = door
        self.askers = Askers()
        self._units: dict[int, ModbusUnit] = {}
        self._started = 0
        self._server: TcpServer | None = None
        self._pty: PtyPort | None = None
        if transport == "rtu":
            if path is None:
                raise ValueError("a pseudo-terminal needs a path")
            self._pty = PtyPort(path, self._talk(self._write_pty, lambda: None).receive)

    def join(self, unit: ModbusUnit, device_id: int | None) -> int:
        """Add a device to the line; return its id, the first free one if None. Raises `ConfigurationError`."""
        chosen = device_id or next((n for n in DEVICE_IDS if n not in self._units), None)
        if chosen is None:
            raise ConfigurationError("A line has room for 247 devices.", "Put the device on another line.")
        if chosen in self._units:
            raise ConfigurationError(
                f"Two devices on one line have the unit id {chosen}.", "Give each its own unit id."
            )
        self._units[chosen] = unit
        return chosen

    def url(self, device_id: int) -> str:
        """Write the address of a device."""
        if self._pty is not None:
            return f"modbus-rtu://{self._pty.path}?device={device_id}&{SERIAL_SETTINGS}"
        host = self._door.host if self._door else LOOPBACK
        return f"modbus-{self._transport}://{host}:{self._port}/{device_id}"

    async def start(self) -> None:
        """Bring it up. Raises `ConnectionFailed` when the port is taken."""
        self._started += 1
        if self._started > 1:
            return
        if self._pty is not None:
            self._pty.plug()
            return
        self._server = TcpServer(self._converse, port=self._port, door=self._door, askers=self.askers)
        self._port = await self._server.start()

    @property
    def upkeep(self) -> Sequence[asyncio.Task[None]]:
        """List the tasks that go on as long as it is up."""
        return self._server.upkeep if self._server is not None else ()

    async def stop(self) -> None:
        """Stop the line with its last device."""
        self._started -= 1
        if self._started > 0:
            return
        if self._pty is not None:
            self._pty.unplug()
        if self._server is not None:
            await self._server.stop()

    def unplug(self, seconds: float) -> None:
        """Pull the plug of a pseudo-terminal and put it back after that time."""
        if self._pty is not None:
            self._pty.unplug(seconds)

    def answer(
        self, framer: FramerBase, device_id: int, transaction: int, request: bytes
    ) -> tuple[bytes, Fault | None]:
        """Answer a request with a frame, empty where no unit answers, and the fault still to be applied to it."""
        unit = self._units.get(device_id)
        if unit is None and self._transport == "tcp" and device_id in WHOLE_DEVICE and len(self._units) == 1:
            (unit,) = self._units.values()
        if unit is None and self._transport != "tcp":
            return b"", None
        fault = unit.faults.take() if unit and request != MARK_REQUEST else None
        pdu = unit.answer(request, fault) if unit else ExceptionResponse(request[0], ExcCodes.GATEWAY_NO_RESPONSE)
        pdu.dev_id, pdu.transaction_id = device_id, transaction
        return _spoil(framer.buildFrame(pdu), fault), fault

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        def send(frame: bytes) -> None:
            if not writer.is_closing():
                writer.write(frame)

        talk = self._talk(send, writer.close)
        while not writer.is_closing() and (data := await reader.read(LONGEST_ADU)):
            for _ in range(talk.receive(data)):
                await self._count(writer)
            await writer.drain()

    async def _count(self, writer: asyncio.StreamWriter) -> None:
        if self._server is not None:
            await self._server.asked(writer)

    def _talk(self, send: Callable[[bytes], None], hang_up: Callable[[], None]) -> Talk:
        framer = FramerSocket if self._transport == "tcp" else FramerRTU
        return Talk(self, framer(DecodePDU(True)), send, hang_up)

    def _write_pty(self, data: bytes) -> None:
        if self._pty is not None:
            self._pty.write(data)


class Talk:
    """One master's conversation with the devices of a line."""

    def __init__(
        self, line: ModbusLine, framer: FramerBase, send: Callable[[bytes], None], hang_up: Callable[[], None]
    ) -> None:
        self._line = line
        self._framer = framer
        self._send = send
        self._hang_up = hang_up
        self._buffer = b""
        self._heard_s = 0.0

    def receive(self, data: bytes) -> int:
        """Receive bytes and answer complete requests; return how many."""
        answered = 0
        now_s = asyncio.get_running_loop().time()
        if isinstance(self._framer, FramerRTU) and now_s - self._heard_s > FORGET_S:
            self._buffer = b""
        self._heard_s = now_s
        self._buffer += data
        while self._buffer:
            used, device_id, transaction, request = self._framer.decode(self._buffer)
            if not request and self._is_unknown_function():
                used, device_id, request = len(self._buffer), self._buffer[0], self._buffer[1:-2]
            self._buffer = self._buffer[used:]
            if not request:
                break
            self._react(*self._line.answer(self._framer, device_id, transaction, request))
            answered += 1
        is_tcp = isinstance(self._framer, FramerSocket)
        if len(self._buffer) > LONGEST_ADU or (is_tcp and self._buffer[2:4] not in (b"", b"\0", MODBUS_PROTOCOL)):
            self._buffer = b""
            self._hang_up()
        return answered

    def _is_unknown_function(self) -> bool:
        """Return whether a whole RTU frame has a function whose length the framer does not know."""
        frame = self._buffer
        if not isinstance(self._framer, FramerRTU) or len(frame) < SHORTEST_RTU:
            return False
        return FramerRTU.compute_CRC(frame[:-2]) == int.from_bytes(frame[-2:], "big")

    def _react(self, frame: bytes, fault: Fault | None) -> None:
        match fault:
            case Drop():
                pass
            case Disconnect():
                self._hang_up()
            case Delay():
                asyncio.get_running_loop().call_later(fault.seconds, self._send, frame)
            case _:
                self._send(frame)


def _spoil(frame: bytes, fault: Fault | None) -> bytes:
    match fault:
        case Garbage():
            return NOISE + frame
        case Torn():
            return frame[: len(frame) // 2]
        case WrongChecksum():
            return frame[:-1] + bytes([frame[-1] ^ 0xFF])
        case _:
            return frame
