"""One Modbus line: a TCP gateway or a serial port, shared by the devices behind it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pymodbus.client import AsyncModbusSerialClient, AsyncModbusTcpClient
from pymodbus.exceptions import ModbusException
from pymodbus.pdu import ExceptionResponse, ModbusPDU

from wattmark_drivers.bus import Bus
from wattmark_drivers.clock import Clock, Stamp, stamp_since
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.modbus.address import RtuAddress, TcpAddress
from wattmark_drivers.modbus.exception_codes import explain

CONNECT_TIMEOUT_S = 3.0
DROP_AFTER_SILENCES = 2
Client = AsyncModbusTcpClient | AsyncModbusSerialClient
Trace = Callable[[bool, bytes], bytes]
"""Hears the traffic: whether it is sent, and the bytes, which it returns."""
Linked = Callable[[bool], None]
"""Hears that the line connected (True) or broke (False)."""


class NoAnswer(ConnectionFailed):
    """The device did not answer in time."""


class ExceptionReply(BadReply):
    """The device refuses the request with an exception code."""

    def __init__(self, who: str, code: int) -> None:
        words, remedy = explain(code)
        super().__init__(f"{who} answers {words}.", remedy)
        self.code = code


@dataclass(frozen=True, slots=True)
class Request:
    """A read of consecutive registers of one device."""

    device_id: int
    function: int
    address: int
    count: int
    timeout_s: float
    request_gap_s: float
    quiet_gap_s: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The registers and when they were taken."""

    words: Sequence[int]
    stamp: Stamp


class ModbusLine:
    """Sends one request at a time; neither retries nor hides an error."""

    def __init__(self, address: TcpAddress | RtuAddress, clock: Clock) -> None:
        # The library logs each timeout; a lost meter is one line of log, written by the sampler.
        logging.getLogger("pymodbus.logging").setLevel(logging.CRITICAL)
        self._client = make_client(address, self._trace, self._linked)
        self._label = f"{address.host}:{address.port}" if isinstance(address, TcpAddress) else address.path
        self._settings = line_settings(address)
        self._clock = clock
        self._bus = Bus(clock)
        self._silences = 0
        self._deadline: asyncio.Timeout | None = None

    def check_settings(self, address: TcpAddress | RtuAddress) -> None:
        """Refuse a second user with other line settings. Raises `ConfigurationError`."""
        if line_settings(address) != self._settings:
            raise ConfigurationError(
                f"{self._label} is in use with other line settings.", "Give all meters on it the same baud and parity."
            )

    async def read(self, request: Request) -> Answer:
        """Read registers when the line is free. Raises `NoAnswer`, `ConnectionFailed`, `BadReply`, `ExceptionReply`."""
        async with self._bus.turn(request_gap_s=request.request_gap_s, quiet_gap_s=request.quiet_gap_s):
            await self._connect()
            asked_ns = self._clock.monotonic_ns()
            reply = await self._exchange(request)
            stamp = stamp_since(self._clock, asked_ns)
            self._silences = 0
            if not reply.isError():
                self._check_count(request, reply)
        if isinstance(reply, ExceptionResponse):
            raise ExceptionReply(self._who(request), reply.exception_code)
        return Answer(reply.registers, stamp)

    def close(self) -> None:
        """Let go of the line."""
        self._client.close()

    async def _connect(self) -> None:
        if not self._client.connected and not await self._client.connect():
            raise ConnectionFailed(
                f"No connection to {self._label}.",
                "Check the address and the cable, that the device is switched on, and that this user may open it.",
            )

    async def _exchange(self, request: Request) -> ModbusPDU:
        read = self._client.read_input_registers if request.function == 4 else self._client.read_holding_registers
        try:
            async with asyncio.timeout(request.timeout_s) as self._deadline:
                return await read(request.address, count=request.count, device_id=request.device_id)
        except TimeoutError:
            raise self._silent(request) from None
        except (ModbusException, OSError) as error:
            self._client.close()
            raise ConnectionFailed(f"{self._label} broke off: {error}.", "It is tried again by itself.") from None
        finally:
            self._deadline = None

    def _silent(self, request: Request) -> ConnectionFailed:
        """Count silences; a connection on which nobody answers is dropped, for it may be dead without telling."""
        lost = not self._client.connected
        self._silences += 1
        if lost or self._silences >= DROP_AFTER_SILENCES:
            self._client.close()
            self._silences = 0
        if lost:
            return NoAnswer(f"{self._label} closed the connection.", "It is tried again by itself.")
        return NoAnswer(
            f"{self._who(request)} does not answer within {request.timeout_s:g} s.",
            "Check the device id, the wiring, the baud rate and the parity.",
        )

    def _check_count(self, request: Request, reply: ModbusPDU) -> None:
        if len(reply.registers) != request.count:
            raise BadReply(
                f"{self._who(request)} gave {len(reply.registers)} registers for {request.count}: a late answer.",
                "Raise timeout_s if this repeats.",
            )

    def _who(self, request: Request) -> str:
        return f"Device {request.device_id} at {self._label}"

    def _trace(self, _sending: bool, packet: bytes) -> bytes:
        self._bus.heard()
        return packet

    def _linked(self, up: bool) -> None:
        """End the wait for an answer at once when the connection breaks; the library would wait on."""
        if not up and self._deadline is not None and not self._deadline.expired():
            self._deadline.reschedule(asyncio.get_running_loop().time())


def line_settings(address: TcpAddress | RtuAddress) -> tuple[int | str, ...]:
    """Name what all devices on one line must agree on."""
    return () if isinstance(address, TcpAddress) else (address.baud, address.parity, address.stopbits)


def make_client(address: TcpAddress | RtuAddress, trace: Trace, linked: Linked) -> Client:
    """Make a client that neither retries nor reconnects by itself."""
    if isinstance(address, TcpAddress):
        return AsyncModbusTcpClient(
            address.host,
            port=address.port,
            timeout=CONNECT_TIMEOUT_S,
            retries=0,
            reconnect_delay=0,
            trace_packet=trace,
            trace_connect=linked,
        )
    return AsyncModbusSerialClient(
        address.path,
        baudrate=address.baud,
        parity=address.parity,
        stopbits=address.stopbits,
        timeout=CONNECT_TIMEOUT_S,
        retries=0,
        reconnect_delay=0,
        trace_packet=trace,
        trace_connect=linked,
    )
