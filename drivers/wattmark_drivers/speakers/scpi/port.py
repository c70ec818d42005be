"""An analyser on a TCP port or a pseudo-terminal, with the faults of a bad line."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from wattmark_drivers.catalogue.scpi_map import LINE_ENDS, ScpiMap
from wattmark_drivers.catalogue.scpi_query import FreshBy
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.face import Absent, Doorway
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
Write = Callable[[bytes], Awaitable[None]]


class ScpiSpeaker(Speaker):
    """What both ways have in common: lines to the instrument, its answers back, and what goes wrong between."""

    def __init__(self, instrument: ScpiInstrument, table: ScpiMap, scheme: str, faults: FaultQueue) -> None:
        self.instrument = instrument
        self.faults = faults
        self._table = table
        self._end = LINE_ENDS[table.reply_end.get(scheme, "lf")]

    def show(self, indication: Indication | None, absent: Absent | None = None) -> None:
        """Update the indication at the inputs."""
        self.instrument.show(indication, absent)

    def inject(self, fault: Fault) -> None:
        """Schedule a fault for the next answers. Raises `ConfigurationError` for another kind."""
        if isinstance(fault, Saturation):
            self.instrument.saturate(fault.count)
        else:
            self.faults.add(fault)

    async def converse(
        self,
        instrument: ScpiInstrument,
        reader: asyncio.StreamReader,
        write: Write,
        hang_up: Callable[[], None],
        asked: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Obey the lines of a host one after another, until it ends; send a line per update while it asks for that."""
        pushing: asyncio.Task[None] | None = None
        if self._table.fresh.by is FreshBy.PUSH:
            instrument.push()
            pushing = asyncio.create_task(self._push(instrument, write))
        try:
            pending = b""
            while data := await reader.read(LONGEST_LINE):
                *lines, pending = (pending + data).replace(b"\r", b"\n").split(b"\n")
                pending = pending[: LONGEST_LINE + 1]
                for number, line in enumerate(lines):
                    if len(line) > LONGEST_LINE:
                        instrument.refuse_overrun()
                    elif line.strip():
                        if asked is not None:
                            await asked()
                        if number:
                            await asyncio.sleep(0)  # many unknown headers take long, and others wait
                        await self._obey(instrument, line.decode("ascii", "replace"), write, hang_up)
        finally:
            if pushing is not None:
                pushing.cancel()
                await asyncio.gather(pushing, return_exceptions=True)

    async def _push(self, instrument: ScpiInstrument, write: Write) -> None:
        while True:
            await asyncio.sleep(instrument.next_update_s)
            for line in instrument.push():
                await self._send(line, write, lambda: None)

    async def _obey(self, instrument: ScpiInstrument, line: str, write: Write, hang_up: Callable[[], None]) -> None:
        reply = instrument.receive(line)
        if reply is not None:
            if reply.delay_s > 0:
                await asyncio.sleep(reply.delay_s)
            await self._send(reply.data + self._table.reply_tail.encode("ascii"), write, hang_up)
        elif self._table.acknowledgement:
            await self._send(self._table.acknowledgement.encode("ascii"), write, hang_up)
        elif self._table.blank_lines:
            await self._send(b"", write, hang_up)

    async def _send(self, message: bytes, write: Write, hang_up: Callable[[], None]) -> None:
        match self.faults.take():
            case Drop():
                pass
            case Disconnect():
                hang_up()
            case Torn():
                await write(message[: len(message) // 2])
            case Garbage():
                await write(NOISE + message + self._end)
            case Delay(seconds=seconds):
                await asyncio.sleep(seconds)
                await write(message + self._end)
            case _:
                await write(message + self._end)


class TcpAnalyser(ScpiSpeaker):
    """An analyser on a TCP port."""

    def __init__(self, instrument: ScpiInstrument, table: ScpiMap, port: int) -> None:
        super().__init__(instrument, table, "scpi-tcp", FaultQueue(Delay, Drop, Garbage, Torn, Disconnect))
        self._server = TcpServer(self._serve, port=port)

    async def start(self) -> dict[str, str]:
        """Start to listen; return the address. Raises `ConnectionFailed` when the port is taken."""
        return {"url": f"scpi-tcp://{LOOPBACK}:{await self._server.start()}"}

    async def stop(self) -> None:
        """Close the port and all connections."""
        await self._server.stop()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.converse(self.instrument, reader, partial(_write, writer), writer.close)


class MeterDialogue(ScpiSpeaker):
    """A meter that is asked in the dialogue of an analyser: each client has settings, items and errors of its own."""

    def __init__(
        self, make_instrument: Callable[[], ScpiInstrument], table: ScpiMap, *, port: int, door: Doorway
    ) -> None:
        super().__init__(make_instrument(), table, "scpi-tcp", FaultQueue())
        self._make_instrument = make_instrument
        self._door = door
        self._shown: tuple[Indication | None, Absent | None] = (None, "waiting")
        self._instruments: set[ScpiInstrument] = set()
        self._server = TcpServer(self._serve, port=port, door=door, askers=self.askers)

    async def start(self) -> dict[str, str]:
        """Start to listen; return the address. Raises `ConnectionFailed` when the port is taken."""
        return {"url": f"scpi-tcp://{self._door.host}:{await self._server.start()}"}

    @property
    def upkeep(self) -> Sequence[asyncio.Task[None]]:
        return self._server.upkeep

    async def stop(self) -> None:
        """Close the port and all connections."""
        await self._server.stop()

    def show(self, indication: Indication | None, absent: Absent | None = None) -> None:
        """Update what every client sees."""
        self._shown = (indication, absent)
        for instrument in self._instruments:
            instrument.show(indication, absent)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        instrument = self._make_instrument()
        instrument.show(*self._shown)
        self._instruments.add(instrument)
        try:
            await self.converse(
                instrument, reader, partial(_write, writer), writer.close, partial(self._server.asked, writer)
            )
        finally:
            self._instruments.discard(instrument)


class SerialAnalyser(ScpiSpeaker):
    """An analyser on a pseudo-terminal."""

    def __init__(self, instrument: ScpiInstrument, table: ScpiMap, path: Path) -> None:
        super().__init__(instrument, table, "serial", FaultQueue(Delay, Drop, Garbage, Torn, Unplug))
        self._port = PtyPort(path, lambda data: self._reader.feed_data(data))
        self._conversation: asyncio.Task[None] | None = None

    async def start(self) -> dict[str, str]:
        """Start the serial port; return its address."""
        self._start_conversation()
        self._port.plug()
        return {"url": f"serial://{self._port.path}"}

    async def stop(self) -> None:
        """Stop and remove the serial port."""
        if self._conversation is not None:
            self._conversation.cancel()
            await asyncio.gather(self._conversation, return_exceptions=True)
        self._port.unplug()

    def inject(self, fault: Fault) -> None:
        """Disconnect at once, or schedule a fault for the next answers. Raises `ConfigurationError` for another."""
        if isinstance(fault, Unplug):
            self._start_conversation()
            self._port.unplug(fault.seconds)
        else:
            super().inject(fault)

    def _start_conversation(self) -> None:
        """Start anew, without what was received and not yet obeyed."""
        if self._conversation is not None:
            self._conversation.cancel()
        self._reader = asyncio.StreamReader()
        self._conversation = asyncio.create_task(
            self.converse(self.instrument, self._reader, self._write, lambda: None)
        )

    async def _write(self, message: bytes) -> None:
        self._port.write(message)


async def _write(writer: asyncio.StreamWriter, message: bytes) -> None:
    writer.write(message)
    await writer.drain()


def make_speaker(device: SpeakerSpec) -> ScpiSpeaker:
    """Create the speaker of any analyser of the catalogue. Raises `ConfigurationError` for a connection it lacks."""
    table = device.declaration.protocol
    if not isinstance(table, ScpiMap):
        raise TypeError(f"{device.declaration.id} is not an analyser that is asked")
    make_instrument = partial(
        ScpiInstrument,
        table,
        f"{SIMULATOR_MARK}{device.serial}",
        device.declaration.rhythm.update_period_s,
        device.around.now,
        device.face,
    )
    if device.face is not None:
        return MeterDialogue(make_instrument, table, port=device.port, door=device.door)
    instrument = make_instrument()
    if device.transport == "serial" or device.declaration.transport("scpi-tcp") is None:
        if device.declaration.transport("serial") is None:
            raise ConfigurationError(f"{device.declaration.id} has no serial port.", "Omit the transport.")
        return SerialAnalyser(instrument, table, device.folder)
    return TcpAnalyser(instrument, table, device.port)
