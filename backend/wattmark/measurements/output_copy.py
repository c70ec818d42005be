"""Copy what a command writes to where it would have gone, and hand its lines on meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import select
import signal
import sys
import termios
import threading
import tty
from collections.abc import Callable
from typing import Self

_CHUNK = 2**16
LONGEST_LINE = 2**16
"""Bytes of a line that are handed on; what follows them is copied all the same."""
_LOOK_S = 0.05
_PATIENCE_S = 0.5
"""How long output may still come after the command has ended, as from a background process that it left [s]."""


class OutputCopy:
    """Streams for a command, and a thread that copies what comes out of them.

    Where an output is a terminal, the command gets one too (pty(7)), of the same size. Outputs that go to the same
    place share a stream, so that their order stays.
    """

    def __init__(self, on_line: Callable[[bytes], None], *, to_stderr: bool) -> None:
        self._on_line = on_line
        out, err = sys.stderr.fileno() if to_stderr else sys.stdout.fileno(), sys.stderr.fileno()
        self._targets = [out] if _same(out, err) else [out, err]
        self._sources: dict[int, int] = {}
        """Where to read, and where that goes."""
        self._ends: list[int] = []
        """What the command writes to."""
        self._lines = {target: bytearray() for target in self._targets}
        self._thread = threading.Thread(target=self._copy, name="output-copy")
        self._command_ended = threading.Event()

    def __enter__(self) -> Self:
        """Open the streams."""
        for target in self._targets:
            source, end = _terminal_like(target) if os.isatty(target) else os.pipe()
            self._sources[source] = target
            self._ends.append(end)
        if any(map(os.isatty, self._targets)):
            asyncio.get_running_loop().add_signal_handler(signal.SIGWINCH, self._resize)
        return self

    def __exit__(self, *_: object) -> None:
        """Close the streams."""
        asyncio.get_running_loop().remove_signal_handler(signal.SIGWINCH)
        self._command_ended.set()
        self._close_ends()
        if self._thread.is_alive():
            self._thread.join()
        for source in self._sources:
            os.close(source)

    @property
    def streams(self) -> tuple[int, int]:
        """Return standard output and error for the command."""
        return self._ends[0], self._ends[-1]

    def begin(self) -> None:
        """Copy from now on; the command has its own copies of the streams."""
        self._close_ends()
        self._thread.start()

    async def finish(self) -> None:
        """Copy what is left of a command that has ended."""
        self._command_ended.set()
        await asyncio.to_thread(self._thread.join)

    def _close_ends(self) -> None:
        while self._ends:
            os.close(self._ends.pop())

    def _resize(self) -> None:
        for source, target in self._sources.items():
            if os.isatty(target):
                _same_size(target, source)

    def _copy(self) -> None:
        left, silent_s = set(self._sources), 0.0
        while left and silent_s < _PATIENCE_S:
            ready, _, _ = select.select(list(left), [], [], _LOOK_S)
            silent_s = 0.0 if ready or not self._command_ended.is_set() else silent_s + _LOOK_S
            for source in ready:
                if not self._pass_on(source):
                    left.discard(source)
        for line in self._lines.values():
            if line:
                self._on_line(bytes(line))

    def _pass_on(self, source: int) -> bool:
        """Copy what is there; return False at the end of a stream."""
        try:
            data = os.read(source, _CHUNK)
        except OSError:  # a terminal whose other end was closed (EIO)
            return False
        if not data:
            return False
        try:
            self._take(data, self._sources[source])
        except BrokenPipeError:  # as with head: the command gets SIGPIPE by its next output, as it would have
            del self._sources[source]
            os.close(source)
            return False
        return True

    def _take(self, data: bytes, target: int) -> None:
        _write(target, data)
        *whole, rest = data.split(b"\n")
        line = self._lines[target]
        for part in whole:
            line += part[: LONGEST_LINE - len(line)]
            self._on_line(bytes(line))
            line.clear()
        line += rest[: LONGEST_LINE - len(line)]


def _same(one_fd: int, other_fd: int) -> bool:
    first, second = os.fstat(one_fd), os.fstat(other_fd)
    return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)


def _terminal_like(target: int) -> tuple[int, int]:
    """Open a terminal of the same size, which passes bytes on as they are: the real one adds its carriage returns."""
    source, end = os.openpty()
    tty.setraw(end)
    _same_size(target, end)
    return source, end


def _same_size(target: int, terminal: int) -> None:
    with contextlib.suppress(OSError):
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, fcntl.ioctl(target, termios.TIOCGWINSZ, bytes(8)))


def _write(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]
