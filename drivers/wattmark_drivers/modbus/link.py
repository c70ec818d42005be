"""The connection under a Modbus line: a TCP socket or a serial port, and the one request that waits on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from time import monotonic_ns
from typing import cast

from pymodbus.transport.serialtransport import create_serial_connection

from wattmark_drivers.broken import BROKEN
from wattmark_drivers.modbus.address import ModbusAddress, RtuAddress, TcpAddress
from wattmark_drivers.modbus.frames import Framing, OutOfStepError, RtuFraming, TcpFraming
from wattmark_drivers.traffic import listener
from wattmark_drivers.wheel import wheel

CONNECT_TIMEOUT_S = 3.0
NOT_FRAMES = "what it sends are not Modbus frames"


class Link(asyncio.Protocol):
    """Carries one request at a time; ``heard`` is told of every traffic."""

    def __init__(self, framing: Framing, heard: Callable[[], None]) -> None:
        self._framing = framing
        self._heard = heard
        self._loop = asyncio.get_running_loop()
        self._wheel = wheel()
        self._transport: asyncio.Transport | None = None
        self._waiting: asyncio.Future[bytes] | None = None
        self._tell = listener()
        self.made = asyncio.Event()

    @property
    def open(self) -> bool:
        """Return whether the connection is there, as far as it is known."""
        return self._transport is not None

    @property
    def halfway(self) -> bool:
        """Return whether half an answer was received, after which this connection is unusable."""
        return self._framing.halfway

    @property
    def passed_over(self) -> Sequence[str]:
        """List what was other than asked in answers since the latest request."""
        return self._framing.passed_over

    def ask(self, device_id: int, pdu: bytes, timeout_s: float) -> asyncio.Future[bytes]:
        """Send a request; the result is the PDU of its answer.

        It fails with TimeoutError without an answer in time, and with OSError when the connection breaks.
        """
        waiting = self._waiting = self._loop.create_future()
        if self._transport is None:
            waiting.set_exception(ConnectionResetError())
            return waiting
        frame = self._framing.wrap(device_id, pdu)
        try:
            self._transport.write(frame)
        except BROKEN:
            waiting.set_exception(ConnectionResetError())
            return waiting
        if self._tell is not None:
            self._tell("sent", frame)
        self._heard()
        self._wheel.fail_at(monotonic_ns() + int(timeout_s * 1e9), waiting)
        return waiting

    def close(self) -> None:
        """Release the connection."""
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast("asyncio.Transport", transport)
        self.made.set()

    def data_received(self, data: bytes) -> None:
        """Look for the answer."""
        self._heard()
        if self._tell is not None:
            self._tell("received", data)
        try:
            pdu = self._framing.feed(data)
        except OutOfStepError:
            self.close()
            self._fail(self._waiting, ConnectionAbortedError(NOT_FRAMES))
            return
        waiting = self._waiting
        if pdu is not None and waiting is not None and not waiting.done():
            waiting.set_result(pdu)

    def connection_lost(self, _exc: Exception | None) -> None:
        """Stop the wait for an answer at once."""
        self._transport = None
        self._fail(self._waiting, ConnectionResetError())

    @staticmethod
    def _fail(waiting: asyncio.Future[bytes] | None, error: Exception) -> None:
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)


async def open_link(address: ModbusAddress, heard: Callable[[], None]) -> Link:
    """Connect within 3 s. Raises OSError."""
    loop = asyncio.get_running_loop()
    framing = TcpFraming if isinstance(address, TcpAddress) else RtuFraming
    async with asyncio.timeout(CONNECT_TIMEOUT_S):
        if not isinstance(address, RtuAddress):
            _, link = await loop.create_connection(lambda: Link(framing(), heard), address.host, address.port)
            return link
        _, serial = await create_serial_connection(
            loop,
            lambda: Link(framing(), heard),
            address.path,
            baudrate=address.baud,
            bytesize=8,
            parity=address.parity.value,
            stopbits=address.stopbits,
        )
        link = cast("Link", serial)
        await link.made.wait()
        return link
