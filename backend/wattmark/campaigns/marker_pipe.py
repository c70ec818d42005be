"""A named pipe in the data folder, into which any script may write its marks: echo begin > DATA/markers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path

from wattmark.core.errors import WattmarkError
from wattmark.workloads.parsers.bounds import MARKS_PER_S
from wattmark.workloads.parsers.flow import Flow

log = logging.getLogger(__name__)
NAME = "markers"
LONGEST_LINE = 200
PAUSE_S = 1.0
"""Pause in reading a pipe that is written to faster than marks can be taken; its writers wait meanwhile [s]."""
QUIET_S = 1.0
"""Shortest time between log messages about lines that are not marks [s]."""
_BLOCK = 4096


class MarkerPipe:
    """Reads lines from the pipe while the service runs; other lines are logged and skipped."""

    def __init__(self, folder: Path, take: Callable[[str], None]) -> None:
        self._path = folder / NAME
        self._take = take
        self._fd: int | None = None
        self._rest = b""
        self._flow = Flow(MARKS_PER_S)
        self._resuming: asyncio.TimerHandle | None = None
        self._quiet_until_s = 0.0
        self._unsaid = 0

    def open(self) -> None:
        """Create the pipe for this user alone and listen. Where the folder cannot hold one, only the log reports it."""
        try:
            with contextlib.suppress(FileExistsError):
                os.mkfifo(self._path, 0o600)
            if not stat.S_ISFIFO(self._path.lstat().st_mode):
                log.warning("%s is not a pipe, so markers are accepted over HTTP only. Move the file away.", self._path)
                return
            # Opened for reading and writing, so that a writer that ends does not close the pipe.
            self._fd = os.open(self._path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            log.warning("%s cannot be created: %s. Markers are accepted over HTTP only.", self._path, error.strerror)
            return
        self._listen(self._fd)

    def close(self) -> None:
        """Stop listening and remove the pipe."""
        if self._resuming is not None:
            self._resuming.cancel()
        if self._fd is not None:
            asyncio.get_running_loop().remove_reader(self._fd)
            os.close(self._fd)
            self._fd = None
            with contextlib.suppress(OSError):
                self._path.unlink()

    def _listen(self, fd: int) -> None:
        asyncio.get_running_loop().add_reader(fd, self._readable, fd)

    def _readable(self, fd: int) -> None:
        with contextlib.suppress(BlockingIOError):
            *lines, self._rest = (self._rest + os.read(fd, _BLOCK)).split(b"\n")
            self._rest = self._rest[:LONGEST_LINE]
            for line in lines:
                self._one(line[:LONGEST_LINE].decode("utf-8", "replace"))
            loop = asyncio.get_running_loop()
            if self._flow.overflows(len(lines), round(loop.time() * 1e9)):
                self._warn(
                    f"More than {MARKS_PER_S:,} lines per second were written to {self._path}: send fewer markers."
                )
                loop.remove_reader(fd)
                self._resuming = loop.call_later(PAUSE_S, self._listen, fd)

    def _one(self, line: str) -> None:
        if not line.strip():
            return
        try:
            self._take(line)
        except WattmarkError as error:
            self._warn(f"A marker in {self._path} was not accepted: {error}")

    def _warn(self, text: str) -> None:
        """Log a line at most once in a while; the next one says how many were omitted."""
        now_s = asyncio.get_running_loop().time()
        if now_s < self._quiet_until_s:
            self._unsaid += 1
            return
        log.warning("%s%s", text, f" ({self._unsaid} such lines before were not logged.)" if self._unsaid else "")
        self._quiet_until_s, self._unsaid = now_s + QUIET_S, 0
