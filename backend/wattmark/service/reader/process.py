"""One reader process as the service sees it: started, connected to, ended."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

from wattmark.core.errors import WattmarkError
from wattmark.service.reader.child import Child, ForkedReader, start_interpreter
from wattmark.service.reader.start import LARGEST, READY, StartOrder

START_S = 60.0
"""Longest time that a start may take: seconds on a machine whose cores a load has for itself."""
END_S = 2.0


class ReaderProcess:
    """A reader that is ready. It lives as long as its control socket, and so never longer than the service."""

    def __init__(self, process: Child, control: socket.socket) -> None:
        self._process = process
        self._control = control
        self._retired = False
        self.began_s = asyncio.get_running_loop().time()
        self._counting = threading.Lock()
        self._in_flight = 0

    @classmethod
    async def start(cls, order: StartOrder, forked: ForkedReader | None = None) -> ReaderProcess:
        """Start a reader, or give one that was forked its order, and wait until it is ready.

        Raises `WattmarkError` with its message where it fails.
        """
        process, control = (forked, forked.control) if forked else await start_interpreter()
        control.setblocking(False)
        reader = cls(process, control)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(START_S):
                await loop.sock_sendall(control, order.as_message())
                answer = await loop.sock_recv(control, LARGEST)
        except (TimeoutError, OSError):
            answer = b""
        except BaseException:
            await reader.end()
            raise
        if answer != READY:
            await reader.end()
            silent = f"The reader of stored runs did not start (status {process.returncode})."
            raise WattmarkError(answer.decode(errors="replace") or silent, "See the log for details.")
        return reader

    def _connect(self) -> socket.socket:
        ours, reader_end = socket.socketpair()
        with reader_end:
            try:
                socket.send_fds(self._control, [b"c"], [reader_end.fileno()])
            except BaseException:
                ours.close()
                raise
        return ours

    async def ended(self) -> int:
        """Wait for the end of the process; return its exit status."""
        return await self._process.wait()

    def resident_bytes(self) -> int:
        """Read how much memory it uses [bytes]; 0 where it has ended."""
        try:
            pages = Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]
        except (OSError, IndexError):
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    @property
    def gone(self) -> bool:
        """Return whether the process has ended, even before the event loop is notified."""
        if self._control.fileno() < 0:
            return True
        looking = select.poll()
        looking.register(self._control, 0)
        return bool(looking.poll(0))

    @contextlib.contextmanager
    def answering(self) -> Iterator[socket.socket]:
        """Open a connection for one answer; a retired reader ends with its last one. Safe from any thread.

        Raises `OSError` where the reader is gone.
        """
        with self._counting:
            self._in_flight += 1
        try:
            yield self._connect()
        finally:
            with self._counting:
                self._in_flight -= 1
                self._end_if_retired()

    def retire(self) -> None:
        """Stop it as soon as nobody waits for it."""
        with self._counting:
            self._retired = True
            self._end_if_retired()

    def _end_if_retired(self) -> None:
        if self._retired and self._in_flight == 0:
            self._control.close()

    async def end(self) -> None:
        """Stop it now; returns when it has ended."""
        self._control.close()
        try:
            async with asyncio.timeout(END_S):
                await self._process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
