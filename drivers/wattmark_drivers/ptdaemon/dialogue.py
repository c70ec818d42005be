"""The line to a power daemon: one command at a time, one reply line each, and the samples behind `RL`."""

from __future__ import annotations

import asyncio
import contextlib

from wattmark_drivers.broken import BROKEN
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import BadReply, ConnectionFailed
from wattmark_drivers.ptdaemon.address import DaemonAddress
from wattmark_drivers.ptdaemon.replies import LAST
from wattmark_drivers.traffic import tell

CONNECT_TIMEOUT_S = 3.0
LONGEST_LINE = 8192
"""Bytes of a line; the longest that were seen hold seven channels."""
MOST_LINES = 500_000
"""Samples that a daemon keeps."""


class DaemonDialogue:
    """A connection to a daemon. After anything that is no reply it is closed: the next line could be a late one."""

    def __init__(self, address: DaemonAddress, clock: Clock, timeout_s: float) -> None:
        self._address = address
        self._clock = clock
        self._timeout_s = timeout_s
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._asking = False
        """Whether a reply is under way: one that nobody waits for any more would be taken for the next."""
        self.received_ns = 0
        """When the first line of the last reply came [UTC ns]."""

    @property
    def ready(self) -> bool:
        """Return whether it is connected, and no reply under way."""
        return self._streams is not None and not self._asking

    async def open(self) -> None:
        """Connect. Raises `ConnectionFailed`."""
        self._asking = False
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                self._streams = await asyncio.open_connection(
                    self._address.host, self._address.port, limit=LONGEST_LINE
                )
        except (OSError, TimeoutError) as error:
            reason = "no answer" if isinstance(error, TimeoutError) else (error.strerror or str(error))
            raise ConnectionFailed(
                f"No connection to {self._address.label}: {reason}.", "Check the address, and that the daemon runs."
            ) from None

    async def close(self) -> None:
        """Close the connection. Never raises."""
        streams, self._streams = self._streams, None
        if streams is not None:
            streams[1].close()
            with contextlib.suppress(OSError):
                await streams[1].wait_closed()

    async def ask(self, command: str, patience_s: float | None = None) -> str:
        """Send a command and return its reply. Raises `ConnectionFailed`, after which the connection is closed."""
        self._asking = True
        await self._send(command)
        line = await self._line(self._timeout_s if patience_s is None else patience_s)
        self.received_ns = self._clock.utc_ns()
        self._asking = False
        return line

    async def ask_samples(self, command: str, patience_s: float) -> tuple[str, list[str]]:
        """Send a form of `RL`; return the first line and the samples that it announces, none for a refusal.

        Where the connection breaks meanwhile, what came of them is returned: a daemon may not send it again.
        """
        first = await self.ask(command, patience_s)
        match = LAST.fullmatch(first)
        count = int(match[1]) if match else 0
        if count > MOST_LINES:
            await self.close()
            raise BadReply(f"{self._address.label} announces {count} samples.", "It is not a power daemon.")
        lines: list[str] = []
        self._asking = True
        try:
            while len(lines) < count:
                lines.append(await self._line(self._timeout_s))
        except ConnectionFailed:
            if not lines:
                raise
            await self.close()
        self._asking = False
        return first, lines

    async def _send(self, command: str) -> None:
        _, writer = self._opened()
        request = command.encode("ascii", "replace") + b"\r\n"
        try:
            writer.write(request)
            await writer.drain()
            tell("sent", request)
        except BROKEN as error:
            raise self._broken(getattr(error, "strerror", None) or "the connection was lost") from None

    async def _line(self, patience_s: float) -> str:
        reader, _ = self._opened()
        try:
            async with asyncio.timeout(patience_s):
                line = await reader.readuntil(b"\n")
        except TimeoutError:
            await self.close()
            raise ConnectionFailed(
                f"{self._address.label} does not answer within {patience_s:g} s.", "wattmark retries automatically."
            ) from None
        except asyncio.IncompleteReadError:
            raise self._broken("the daemon closed the connection") from None
        except asyncio.LimitOverrunError:
            await self.close()
            raise BadReply(
                f"{self._address.label} sent a line of more than {LONGEST_LINE} bytes.", "It is not a power daemon."
            ) from None
        except OSError as error:
            raise self._broken(error.strerror or error) from None
        tell("received", line)
        return line.decode("ascii", "replace").strip()

    def _broken(self, reason: object) -> ConnectionFailed:
        return ConnectionFailed(
            f"The connection to {self._address.label} broke: {reason}.", "wattmark retries automatically."
        )

    def _opened(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            raise ConnectionFailed(f"{self._address.label} is not connected.")
        return self._streams
