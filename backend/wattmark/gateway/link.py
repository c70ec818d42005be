"""The service's end of the process that speaks: started, told what to show, heard, ended."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from typing import Protocol

from wattmark.core.errors import WattmarkError
from wattmark.gateway.messages import LONGEST, Said, said_of

MOST_UNREAD = 2**20
"""Bytes that wait for a process that does not read them; more, and it is ended."""
SILENT_S = 30.0
"""It says each second that it is alive; silent for longer, it is ended."""
END_S = 2.0
"""How long it may take to close its ports [s]."""
_log = logging.getLogger(__name__)


class Link(Protocol):
    """Takes lines to where speakers are, and hears what becomes of them."""

    @property
    def alive(self) -> bool:
        """Return whether it is started and has not ended."""
        ...

    async def start(self) -> None:
        """Start it. Raises `WattmarkError`."""
        ...

    def send(self, line: bytes) -> None:
        """Send a line; never waits."""
        ...

    async def end(self) -> None:
        """End it with all speakers."""
        ...


class SpeakingProcess:
    """A process with an interpreter of its own; ``hear`` and ``gone`` are called in the event loop.

    It ends with its standard input, and so with the service, however that ends.
    """

    def __init__(self, hear: Callable[[Said], None], gone: Callable[[str], None]) -> None:
        self._hear = hear
        self._gone = gone
        self._process: Process | None = None
        self._hearing: asyncio.Task[None] | None = None
        self._why = ""

    @property
    def alive(self) -> bool:
        """Return whether it is started and has not ended."""
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int | None:
        """Return its process id; None before it was started."""
        return None if self._process is None else self._process.pid

    async def start(self) -> None:
        """Start it. Raises `WattmarkError`."""
        self._why = ""
        command = [sys.executable, "-P", "-m", "wattmark.gateway"]
        try:
            self._process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, limit=LONGEST)
        except OSError as error:
            raise WattmarkError(f"The process that speaks does not start: {error}.", "Free memory.") from error
        self._hearing = asyncio.create_task(self._listen(self._process), name="gateway")

    def send(self, line: bytes) -> None:
        """Send a line; a process that does not take it is ended."""
        process = self._process
        if process is None or process.stdin is None or not self.alive:
            return
        if process.stdin.transport.get_write_buffer_size() > MOST_UNREAD:
            self._kill("It did not take what it was sent")
            return
        process.stdin.write(line)

    async def end(self) -> None:
        """End it with all speakers."""
        process, hearing = self._process, self._hearing
        self._process = self._hearing = None
        if process is None or hearing is None:
            return
        hearing.cancel()
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(END_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        await asyncio.gather(hearing, return_exceptions=True)

    def _kill(self, why: str) -> None:
        self._why = why
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def _listen(self, process: Process) -> None:
        """Hear it until it ends, and end it where it is silent."""
        if process.stdout is None:
            return
        while True:
            try:
                async with asyncio.timeout(SILENT_S):
                    line = await process.stdout.readline()
                if not line:
                    break
                said = said_of(line)
            except TimeoutError:
                self._kill(f"It was silent for {SILENT_S:g} s")
                break
            except ValueError:
                self._kill("It said what is not understood")
                break
            if said.kind != "alive":
                self._hear(said)
        status = await process.wait()
        _log.warning("The process that speaks has ended (status %s). %s", status, self._why)
        self._gone(self._why or f"It ended with status {status}")
