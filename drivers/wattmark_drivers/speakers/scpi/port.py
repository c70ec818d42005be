"""A simulated analyser on a loopback TCP port or a pseudo-terminal, with the faults of a bad line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from wattmark_drivers.catalogue.scpi_map import LINE_ENDS, ScpiMap
from wattmark_drivers.catalogue.scpi_query import FreshBy
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.faults import (
    Delay,
    Disconnect,
    Drop,
    Fault,
    FaultQueue,
    Garbage,
    Saturation,
    Torn,
    Unplug,
)
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.loopback import LOOPBACK
from wattmark_drivers.speakers.scpi.instrument import ScpiInstrument
from wattmark_drivers.speakers.serial.pty_port import PtyPort
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec
from wattmark_drivers.speakers.tcp_server import TcpServer

NOISE = b"\xfe\x00~8."
LONGEST_LINE = 4096
Write = Callable[[bytes], None]


class ScpiSpeaker(Speaker):
    """What both ways have in common: lines to the instrument, its answers back, and what goes wrong between."""

    def __init__(self, instrument: ScpiInstrument, table: ScpiMap, scheme: str, faults: FaultQueue) -> None:
        self.instrument = instrument
        self.faults = faults
        self._table = table
        self._end = LINE_ENDS[table.reply_end.get(scheme, "lf")]
        self._pushing: asyncio.Task[None] | None = None
        self._pending = b""

    def show(self, indication: Indication) -> None:
        """Update the indication at the inputs."""
        self.instrument.show(indication)

    def inject(self, fault: Fault) -> None:
        """Schedule a fault for the next answers. Raises `ConfigurationError` for another kind."""
        if isinstance(fault, Saturation):
            self.instrument.saturate(fault.count)
        else:
            self.faults.add(fault)

    def take(self, data: bytes, write: Write, hang_up: Callable[[], None]) -> None:
        """Receive bytes from the host and execute the lines that they complete."""
        *lines, rest = (self._pending + data).replace(b"\r", b"\n").split(b"\n")
        self._pending = rest[-LONGEST_LINE:]
        for line in lines:
            if line.strip():
                self._obey(line.decode("ascii", "replace"), write, hang_up)

    def forget(self) -> None:
        """Remove an unfinished line."""
        self._pending = b""

    def follow(self, write: Write) -> None:
        """Send a line per update for as long as the instrument pushes."""
        if self._table.fresh.by is FreshBy.PUSH and self._pushing is None:
            self.instrument.push()
            self._pushing = asyncio.create_task(self._push(write))

    def end_pushing(self) -> None:
        if self._pushing is not None:
            self._pushing.cancel()
            self._pushing = None

    async def _push(self, write: Write) -> None:
        while True:
            await asyncio.sleep(self.instrument.next_update_s)
            for line in self.instrument.push():
                self._send(line, write, lambda: None)

    def _obey(self, line: str, write: Write, hang_up: Callable[[], None]) -> None:
        reply = self.instrument.receive(line)
        if reply is not None:
            message = reply.data + self._table.reply_tail.encode("ascii")
            if reply.delay_s:
                asyncio.get_running_loop().call_later(reply.delay_s, self._send, message, write, hang_up)
            else:
                self._send(message, write, hang_up)
        elif self._table.acknowledgement:
            self._send(self._table.acknowledgement.encode("ascii"), write, hang_up)
        elif self._table.blank_lines:
            self._send(b"", write, hang_up)

    def _send(self, message: bytes, write: Write, hang_up: Callable[[], None]) -> None:
        match self.faults.take():
            case Drop():
                pass
            case Disconnect():
                hang_up()
            case Torn():
                write(message[: len(message) // 2])
            case Garbage():
                write(NOISE + message + self._end)
            case Delay(seconds=seconds):
                asyncio.get_running_loop().call_later(seconds, write, message + self._end)
            case _:
                write(message + self._end)


class TcpAnalyser(ScpiSpeaker):
    """An analyser on a TCP port."""

    def __init__(self, instrument: ScpiInstrument, table: ScpiMap, port: int) -> None:
        super().__init__(instrument, table, "scpi-tcp", FaultQueue(Delay, Drop, Garbage, Torn, Disconnect))
        self._server = TcpServer(self._converse, port=port)

    async def start(self) -> dict[str, str]:
        """Start to listen; return the address. Raises `ConnectionFailed` when the port is taken."""
        return {"url": f"scpi-tcp://{LOOPBACK}:{await self._server.start()}"}

    async def stop(self) -> None:
        """Close the port and all connections."""
        self.end_pushing()
        await self._server.stop()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.forget()
        self.follow(lambda data: self._write(writer, data))
        try:
            while data := await reader.read(LONGEST_LINE):
                self.take(data, lambda message: self._write(writer, message), writer.close)
        finally:
            self.end_pushing()

    @staticmethod
    def _write(writer: asyncio.StreamWriter, data: bytes) -> None:
        if not writer.is_closing():
            writer.write(data)


class SerialAnalyser(ScpiSpeaker):
    """An analyser on a pseudo-terminal."""

    def __init__(self, instrument: ScpiInstrument, table: ScpiMap, path: Path) -> None:
        super().__init__(instrument, table, "serial", FaultQueue(Delay, Drop, Garbage, Torn, Unplug))
        self._port = PtyPort(path, self._receive)

    async def start(self) -> dict[str, str]:
        """Start the serial port; return its address."""
        self._port.plug()
        self.follow(self._port.write)
        return {"url": f"serial://{self._port.path}"}

    async def stop(self) -> None:
        """Stop and remove the serial port."""
        self.end_pushing()
        self._port.unplug()

    def inject(self, fault: Fault) -> None:
        """Disconnect at once, or schedule a fault for the next answers. Raises `ConfigurationError` for another."""
        if isinstance(fault, Unplug):
            self.forget()
            self._port.unplug(fault.seconds)
        else:
            super().inject(fault)

    def _receive(self, data: bytes) -> None:
        self.take(data, self._port.write, lambda: None)


def make_speaker(device: SpeakerSpec) -> TcpAnalyser | SerialAnalyser:
    """Create the speaker of any analyser of the catalogue. Raises `ConfigurationError` for a connection it lacks."""
    table = device.declaration.protocol
    if not isinstance(table, ScpiMap):
        raise TypeError(f"{device.declaration.id} is not an analyser that is asked")
    instrument = ScpiInstrument(
        table,
        f"{SIMULATOR_MARK}{device.serial}",
        device.declaration.rhythm.update_period_s,
        device.around.now,
    )
    if device.transport == "serial" or device.declaration.transport("scpi-tcp") is None:
        if device.declaration.transport("serial") is None:
            raise ConfigurationError(f"{device.declaration.id} has no serial port.", "Omit the transport.")
        return SerialAnalyser(instrument, table, device.folder)
    return TcpAnalyser(instrument, table, device.port)
