"""The TCP port of a power daemon: lines of its clients to their conversations, replies back."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain

from wattmark_drivers.speakers.face import Askers, Doorway
from wattmark_drivers.speakers.faults import Delay, Disconnect, Drop, FaultQueue, Garbage
from wattmark_drivers.speakers.ptdaemon.conversation import Conversation, Reply
from wattmark_drivers.speakers.ptdaemon.daemon import PowerDaemon
from wattmark_drivers.speakers.tcp_server import TcpServer

LONGEST_LINE = 4096
"""Bytes of a command; marks are the only long part of one."""
TOO_LONG = "Error: the line is too long"
FIRST_LINE_S = 60.0
"""A client that says nothing for so long after it connected is none."""
LINE_S = 30.0
"""A line that was begun is whole by then, or its client loses the connection. Between lines it may wait for hours."""
TAKEN_S = 30.0
"""A client takes each part of a long reply by then, or loses the connection."""
PART = 1 << 14
"""Bytes that are written at once."""
KEEPALIVE_S = 60
"""Silence after which the system looks whether the peer is still there [s]."""
NOISE = b"\xfe\x00~8.\r\n"
FAULTS = (Delay, Drop, Garbage, Disconnect)


class Lines:
    """Commands as they come, ended by LF or CRLF."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._pending = b""
        self._first = True

    async def next(self) -> str | None:
        """Return the next line; None at the end. Raises ValueError for too long a one, TimeoutError for a drip."""
        waits_s = LINE_S if self._pending else FIRST_LINE_S if self._first else None
        async with asyncio.timeout(waits_s) as patience:
            while b"\n" not in self._pending:
                if len(self._pending) > LONGEST_LINE:
                    raise ValueError(TOO_LONG)
                part = await self._reader.read(LONGEST_LINE)
                if not part:
                    return None
                if not self._pending:
                    patience.reschedule(asyncio.get_running_loop().time() + LINE_S)
                self._pending += part
        self._first = False
        line, _, self._pending = self._pending.partition(b"\n")
        if len(line) > LONGEST_LINE:
            raise ValueError(TOO_LONG)
        return line.rstrip(b"\r").decode("ascii", "replace")

    async def ended(self) -> None:
        """Return when the client has ended; what it says before that is kept for `next`, as far as there is room."""
        while len(self._pending) <= LONGEST_LINE:
            part = await self._reader.read(LONGEST_LINE)
            if not part:
                return
            self._pending += part
        await asyncio.Event().wait()


class PowerDaemonPort:
    """Listens for clients of a daemon; several may ask at once, each with its own unread samples."""

    def __init__(self, daemon: PowerDaemon, door: Doorway, port: int, askers: Askers, faults: FaultQueue) -> None:
        self._daemon = daemon
        self._faults = faults
        self._server = TcpServer(
            self._converse, port=port, limit=2 * LONGEST_LINE, door=door, askers=askers, idle_s=None
        )

    async def start(self) -> int:
        """Listen and return the port. Raises `ConnectionFailed` when it is taken."""
        port = await self._server.start()
        self._daemon.console.say(f"Establishing the listener on port {port}...")
        self._daemon.console.say("Waiting for a connection...")
        return port

    @property
    def upkeep(self) -> Sequence[asyncio.Task[None]]:
        """List the tasks that go on as long as it listens."""
        return self._server.upkeep

    async def stop(self) -> None:
        """Close the port and all connections."""
        await self._server.stop()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        console = self._daemon.console
        host, port = writer.get_extra_info("peername")[:2]
        console.say(f"Accepted connection from {host}:{port}")
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_S)
        lines = Lines(reader)
        conversation = Conversation(self._daemon, partial(self._next_sample, lines))
        try:
            while (line := await lines.next()) is not None:
                await self._server.asked(writer)  # an empty line too: a flood of them must not hold up the others
                if not line.strip():
                    continue
                reply = await conversation.answer(line)
                try:
                    if not await self._harm(reply, writer):
                        await self._send(chain((reply.first,), reply.more), writer)
                        if reply.sent is not None:
                            reply.sent()
                finally:
                    if reply.then is not None:
                        reply.then()  # also for a client that is gone: a stopped measurement has ended
            console.say("No data returned by socket read.")
        except ValueError as error:
            await self._send((str(error),), writer)
        except TimeoutError:
            console.say("The client was too slow.")
        finally:
            console.say("Shutting connection down...")
            console.say("Connection is down.")
            console.say("Waiting for a connection...")

    async def _next_sample(self, lines: Lines) -> None:
        """Wait for the next sample. Raises `ConnectionResetError` where the client ends before it."""
        sample = asyncio.ensure_future(self._daemon.next_sample())
        end = asyncio.ensure_future(lines.ended())
        try:
            done, _ = await asyncio.wait((sample, end), return_when=asyncio.FIRST_COMPLETED)
            if sample not in done:
                raise ConnectionResetError
        finally:
            for waiting in (sample, end):
                waiting.cancel()
            await asyncio.gather(sample, end, return_exceptions=True)

    async def _send(self, lines: Iterable[str], writer: asyncio.StreamWriter) -> None:
        """Send a reply, and show it on the console: the first line with a stamp, the others as they are."""
        console, part = self._daemon.console, bytearray()
        for number, line in enumerate(lines):
            if number:
                console.raw(line)
            else:
                console.say(f"Response to client sent: {line}")
            part += line.encode("ascii", "replace") + b"\r\n"
            if len(part) >= PART:
                await _write(part, writer)
                part = bytearray()
        await _write(part, writer)

    async def _harm(self, reply: Reply, writer: asyncio.StreamWriter) -> bool:
        """Let a fault happen to a reply with values; return whether it took the place of the reply."""
        fault = self._faults.take() if reply.measured else None
        match fault:
            case Drop():
                return True
            case Disconnect():
                writer.close()
                return True
            case Garbage():
                await _write(NOISE, writer)
            case Delay(seconds=seconds):
                await asyncio.sleep(seconds)
        return False


async def _write(data: bytes | bytearray, writer: asyncio.StreamWriter) -> None:
    """Send a part; between two parts the meter and other clients have their turn, however fast this one reads."""
    writer.write(bytes(data))
    async with asyncio.timeout(TAKEN_S):
        await writer.drain()
        await asyncio.sleep(0)
