"""Copy what a command writes to where it would have gone, and hand its lines on meanwhile."""

from __future__ import annotations

import array
import asyncio
import contextlib
import fcntl
import os
import re
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
"""Bytes of a line that are searched. A longer one is handed on with one byte more; all of it is copied."""
_LINE_END = re.compile(rb"[\r\n]")
"""A progress line ends with a carriage return."""


class OutputCopy:
    """Streams for a command, and a thread that copies what comes out of them.

    Where an output is a terminal, the command gets one too (pty(7)), of the same size. Outputs that go to the same
    place share a stream, so that their order stays. What a background process writes after the command has ended is
    copied by cat(1), which lives as long as that process, and is not handed on.
    """

    def __init__(self, on_line: Callable[[bytes], None], *, to_stderr: bool) -> None:
        self.problem: str | None = None
        """Why output of the command was lost."""
        self._on_line = on_line
        out, err = sys.stderr.fileno() if to_stderr else sys.stdout.fileno(), sys.stderr.fileno()
        self._targets = [out] if _same(out, err) else [out, err]
        self._sources: dict[int, int] = {}
        """Where to read, and where that goes."""
        self._ends: list[int] = []
        """What the command writes to."""
        self._lines = {target: bytearray() for target in self._targets}
        self._thread = threading.Thread(target=self._copy, name="output-copy")
        self._is_running, self._running = os.pipe()
        """Closing the second makes the first readable: the command has ended."""

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
        self._close_ends()
        self._end()
        if self._thread.is_alive():
            self._thread.join()
        for descriptor in (*self._sources, self._is_running):
            os.close(descriptor)

    @property
    def streams(self) -> tuple[int, int]:
        """Return standard output and error for the command."""
        return self._ends[0], self._ends[-1]

    def begin(self) -> None:
        """Copy from now on; the command has its own copies of the streams."""
        self._close_ends()
        self._thread.start()

    async def finish(self) -> None:
        """Copy what a command that has ended left behind, and leave the rest to cat(1)."""
        self._end()
        await asyncio.to_thread(self._thread.join)

    def _end(self) -> None:
        if self._running >= 0:
            os.close(self._running)
            self._running = -1

    def _close_ends(self) -> None:
        while self._ends:
            os.close(self._ends.pop())

    def _resize(self) -> None:
        for source, target in list(self._sources.items()):
            if os.isatty(target):
                _same_size(target, source)

    def _copy(self) -> None:
        while self._sources:
            ready, _, _ = select.select([*self._sources, self._is_running], [], [])
            if self._is_running in ready:
                break
            for source in ready:
                self._pass_on(source, _CHUNK)
        for source, target in list(self._sources.items()):
            waiting, is_held = _left_in(source)
            while source in self._sources and (waiting > 0 or not is_held):
                waiting -= self._pass_on(source, waiting if is_held else _CHUNK)
            if source in self._sources:
                _leave_to_cat(source, target)
        for line in self._lines.values():
            self._hand_on(line)

    def _pass_on(self, source: int, most: int) -> int:
        """Copy what is there, and return how much [bytes]; at the end of the stream it is closed."""
        target = self._sources[source]
        try:
            data = os.read(source, min(most, _CHUNK))
        except OSError:  # a terminal whose other end was closed (EIO)
            data = b""
        try:
            _write(target, data)
        except OSError as error:
            # The command gets SIGPIPE by its next output: as without wattmark after head, and nearly so on a full disk.
            if not isinstance(error, BrokenPipeError):
                self.problem = f"The output of the command could not be written: {error.strerror}."
            data = b""
        if data:
            self._take(data, self._lines[target])
        else:
            del self._sources[source]
            os.close(source)
        return len(data)

    def _take(self, data: bytes, line: bytearray) -> None:
        *whole, rest = _LINE_END.split(data)
        for part in whole:
            line += part[: LONGEST_LINE + 1 - len(line)]
            self._hand_on(line)
        line += rest[: LONGEST_LINE + 1 - len(line)]

    def _hand_on(self, line: bytearray) -> None:
        if line:
            self._on_line(bytes(line))
            line.clear()


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


def _left_in(source: int) -> tuple[int, bool]:
    """Return how much was written and not read yet [bytes], and whether anybody holds the other end still."""
    poll = select.poll()
    poll.register(source, select.POLLIN)
    events = sum(event for _, event in poll.poll(0))  # a terminal hands over what is on its way when it is polled
    count = array.array("i", [0])
    with contextlib.suppress(OSError):
        fcntl.ioctl(source, termios.FIONREAD, count)
    return count[0], not events & (select.POLLHUP | select.POLLERR)


def _leave_to_cat(source: int, target: int) -> None:
    """Let a process of its own copy the rest, however long a background process writes: wattmark does not wait for it.

    Not by subprocess, which would want to know how it ends.
    """
    with contextlib.suppress(OSError):
        os.posix_spawnp(
            "cat",
            ["cat"],
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, source, 0),
                (os.POSIX_SPAWN_DUP2, target, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
            setsigdef=[signal.SIGPIPE],
        )


def _write(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(target, view) :]
        except BlockingIOError:  # another program that shares it has made it non-blocking
            select.select([], [target], [])
