"""Links that carry bytes without knowing messages: a TCP socket and a serial port."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod

from wattmark_drivers.ascii.address import SerialAddress as PortAddress
from wattmark_drivers.ascii.serial_port import SerialPort
from wattmark_drivers.broken import BROKEN
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.scpi.address import SerialAddress, TcpAddress
from wattmark_drivers.scpi.framing import Frames
from wattmark_drivers.scpi.links import NoAnswer
from wattmark_drivers.traffic import tell

CONNECT_TIMEOUT_S = 3.0
_READ_SIZE = 1 << 14


class ByteLink(ABC):
    """Frames what comes by its line end."""

    def __init__(self, label: str, clock: Clock, *, send_end: bytes, reply_end: bytes) -> None:
        self._label = label
        self._clock = clock
        self._send_end = send_end
        self._frames = Frames(reply_end)

    @abstractmethod
    async def open(self) -> None:
        """Connect."""

    @abstractmethod
    async def close(self) -> None:
        """Close the link; never raises."""

    @abstractmethod
    async def _write(self, data: bytes) -> None:
        """Send bytes."""

    @abstractmethod
    async def _more(self, patience_s: float) -> bytes:
        """Wait for bytes at most that long [s], or a little longer; nothing when none came."""

    async def send(self, message: str) -> None:
        """Send one message with its line end."""
        await self._write(message.encode("ascii") + self._send_end)

    async def receive(self, patience_s: float, *, block: bool = False) -> bytes:
        """Wait for a whole message. Raises `NoAnswer`, `ConnectionFailed`, `BadReply`."""
        deadline_ns = self._clock.monotonic_ns() + int(patience_s * 1e9)
        while (message := self._frames.take(block=block)) is None:
            left_s = (deadline_ns - self._clock.monotonic_ns()) / 1e9
            if left_s <= 0:
                raise NoAnswer(
                    f"{self._label} does not answer within {patience_s:g} s.",
                    "Check the cable, the address, the baud rate, and that no menu is open on the device.",
                )
            self._frames.feed(await self._more(left_s))
        return message

    async def clear(self, quiet_gap_s: float) -> None:
        """Read until nothing has come for the gap, and forget it."""
        while await self._more(quiet_gap_s):
            pass
        self._frames.clear()

    def _broken(self, reason: object) -> ConnectionFailed:
        return ConnectionFailed(f"The connection to {self._label} broke: {reason}.", "wattmark retries automatically.")


class TcpLink(ByteLink):
    """A raw TCP port."""

    def __init__(self, address: TcpAddress, clock: Clock, *, send_end: bytes, reply_end: bytes) -> None:
        super().__init__(address.label, clock, send_end=send_end, reply_end=reply_end)
        self._address = address
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def open(self) -> None:
        """Connect. Raises `ConnectionFailed`."""
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                self._streams = await asyncio.open_connection(self._address.host, self._address.port)
        except (OSError, TimeoutError) as error:
            reason = "no answer" if isinstance(error, TimeoutError) else (error.strerror or str(error))
            raise ConnectionFailed(
                f"No connection to {self._label}: {reason}.", "Check the address, and that the device is on."
            ) from None

    async def close(self) -> None:
        streams, self._streams = self._streams, None
        if streams is not None:
            streams[1].close()
            with contextlib.suppress(OSError):
                await streams[1].wait_closed()

    async def _write(self, data: bytes) -> None:
        _, writer = self._opened()
        try:
            writer.write(data)
            await writer.drain()
            tell("sent", data)
        except BROKEN as error:
            raise self._broken(getattr(error, "strerror", None) or "the connection was lost") from None

    async def _more(self, patience_s: float) -> bytes:
        reader, _ = self._opened()
        try:
            async with asyncio.timeout(patience_s):
                data = await reader.read(_READ_SIZE)
        except TimeoutError:
            return b""
        except OSError as error:
            raise self._broken(error.strerror or error) from None
        if not data:
            raise self._broken("the device closed the connection")
        tell("received", data)
        return data

    def _opened(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            raise ConnectionFailed(f"{self._label} is not open.")
        return self._streams


class SerialLink(ByteLink):
    """A serial port, 8N1."""

    def __init__(
        self, address: SerialAddress, clock: Clock, *, send_end: bytes, reply_end: bytes, rts_cts: bool
    ) -> None:
        super().__init__(address.label, clock, send_end=send_end, reply_end=reply_end)
        self._address = PortAddress(address.path, address.baud)
        self._rts_cts = rts_cts
        self._port: SerialPort | None = None

    async def open(self) -> None:
        """Open the port. Raises `ConnectionFailed`."""
        self._port = SerialPort(self._address, self._clock, rts_cts=self._rts_cts)
        await self._port.open()

    async def close(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            await port.close()

    async def _write(self, data: bytes) -> None:
        await self._opened().write(data)

    async def _more(self, patience_s: float) -> bytes:
        deadline_ns = self._clock.monotonic_ns() + int(patience_s * 1e9)
        while not (data := (await self._opened().read()).data):
            if self._clock.monotonic_ns() >= deadline_ns:
                break
        return data

    def _opened(self) -> SerialPort:
        if self._port is None:
            raise ConnectionFailed(f"{self._label} is not open.")
        return self._port
