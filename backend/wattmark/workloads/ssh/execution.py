"""A program that runs on another machine."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from wattmark_drivers.clock import Clock

from wattmark.core.errors import Disturbed, WorkloadFailed
from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.parsers.flow import OutputFlow
from wattmark.workloads.parsers.printed_lines import PrintedLines
from wattmark.workloads.ssh.load_script import ENDED, STARTED
from wattmark.workloads.trigger import OutputLine

if TYPE_CHECKING:
    import asyncssh

TAIL_LINES = 5
BLOCK = 16_384
"""What is read at a time; lines are parsed in the loop that samples the meters, which must not wait long."""


class RemoteExecution:
    """Reads both streams line by line; a line is stamped when it arrives, a network delay after it was printed."""

    def __init__(
        self,
        process: asyncssh.SSHClientProcess[bytes],
        clock: Clock,
        on_line: Callable[[OutputLine], None],
        lost: Callable[[], Disturbed],
    ) -> None:
        self.started = mark_now(clock)
        self.begun_ns: int | None = None
        """When the program was started, in the server's own clock [ns since 1970]; None until it says so."""
        self.ended_ns: int | None = None
        """When it ended, in the server's own clock [ns since 1970]; None until it says so."""
        self.held_by: str | None = None
        """What finds its processes there, "cgroup", "subreaper" or "marker"; None until it says so."""
        self._process = process
        self._clock = clock
        self._on_line = on_line
        self._lost = lost
        self._tail: deque[str] = deque(maxlen=TAIL_LINES)
        self._flow = OutputFlow()
        self._too_much: WorkloadFailed | None = None
        self._begun = asyncio.Event()
        self._done = asyncio.create_task(self._read())

    @property
    def ended(self) -> bool:
        """Return whether the program has ended."""
        return self._done.done()

    @property
    def error_tail(self) -> str:
        """Show the last lines of its standard error, as one line."""
        return " | ".join(self._tail)[-500:]

    def cpu_s(self) -> float | None:
        """Return None: the CPU time of a program on another machine is not read."""
        return None

    def kill(self) -> None:
        """Stop the program and all its descendants, by the script on the server."""
        self._process.stdin.write_eof()

    async def begun(self) -> int | None:
        """Wait until the program has been started; return the instant in the server's own clock [ns since 1970]."""
        waiting = asyncio.create_task(self._begun.wait())
        await asyncio.wait({waiting, self._done}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        return self.begun_ns

    async def wait(self) -> tuple[int, Mark]:
        """Wait for the end: exit status and instant. Raises `Disturbed` when the connection was lost.

        Raises `WorkloadFailed` when it printed more than can be read.
        """
        return await asyncio.shield(self._done)

    async def _read(self) -> tuple[int, Mark]:
        await asyncio.gather(self._stream(self._process.stdout, "stdout"), self._stream(self._process.stderr, "stderr"))
        await self._process.wait_closed()
        if self._too_much is not None:
            raise self._too_much
        status = self._process.exit_status
        if status is None:
            raise self._lost()
        return int(status), mark_now(self._clock)

    async def _stream(self, reader: asyncssh.SSHReader[bytes], name: str) -> None:
        lines = PrintedLines()
        while data := await self._data(reader):
            mark = mark_now(self._clock)
            if not self._takes(data, mark):
                continue
            for text in lines.take(data):
                self._take(name, text, mark)
        for text in lines.finish():
            self._take(name, text, mark_now(self._clock))

    def _takes(self, data: bytes, mark: Mark) -> bool:
        """Return whether output is still read; a program that prints too much is ended, and the rest discarded."""
        if self._too_much is None:
            try:
                self._flow.take(data, mark.monotonic_ns)
            except WorkloadFailed as failure:
                self._too_much = failure
                with contextlib.suppress(OSError):
                    self.kill()
        return self._too_much is None

    async def _data(self, reader: asyncssh.SSHReader[bytes]) -> bytes:
        """Read what is available; nothing at the end, and when the connection is lost."""
        import asyncssh

        await asyncio.sleep(0)  # a read of data that has arrived does not wait, so other tasks get their turn here
        try:
            return await reader.read(BLOCK)
        except (asyncssh.Error, OSError):
            return b""

    def _take(self, name: str, text: str, mark: Mark) -> None:
        if name == "stderr" and text.startswith((STARTED, ENDED)):
            self._take_stamp(*text.split()[:3])
            return
        if name == "stderr" and text.strip():
            self._tail.append(text.strip())
        self._on_line(OutputLine("stdout" if name == "stdout" else "stderr", text, mark))

    def _take_stamp(self, word: str, instant: str = "", detail: str = "") -> None:
        if not instant.isdecimal():
            return
        if word == STARTED:
            self.begun_ns = int(instant)
            self.held_by = detail or None
            self._begun.set()
        elif word == ENDED:
            self.ended_ns = int(instant)
