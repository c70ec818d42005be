"""What a daemon writes for people and programs that read it later: console lines and the log of its samples."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.speakers.ptdaemon.words import stamp

MOST_WAITING = 100_000
"""Lines that wait for a reader of standard output."""
END_S = 2.0
"""Longest time for writing what waits at the end [s]."""
Write = Callable[[str], None]
"""Writes one line, without its end."""


class Console:
    """Lines with a stamp, as those programs expect that read a daemon's standard output."""

    def __init__(self, write: Write, now_ns: Callable[[], int]) -> None:
        self._write = write
        self._now_ns = now_ns

    def say(self, text: str) -> None:
        """Write a line with its stamp."""
        self._write(f"{stamp(self._now_ns())}: {text}")

    def raw(self, text: str) -> None:
        """Write a line that has no stamp: what follows the first one of a long reply."""
        self._write(text)


class SampleLog:
    """The file of `-l`: a line per sample, with the system as soon as it is written."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise ConfigurationError(
                f"The log {path} cannot be written: {error.strerror}.", "Choose another path for -l."
            ) from None

    def write(self, line: str) -> None:
        """Append a line; one write, so that a daemon that is killed leaves whole lines only."""
        self._file.write(line.encode("ascii", "replace") + b"\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class StandardOutput:
    """Console lines to a stream that somebody may stop reading: what it does not take is dropped, and counted."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lines: queue.Queue[str | None] = queue.Queue(MOST_WAITING)
        self._dropped = 0
        self._writing = threading.Thread(target=self._run, daemon=True)

    def write(self, line: str) -> None:
        """Hand over a line; never waits."""
        try:
            self._lines.put_nowait(line)
        except queue.Full:
            self._dropped += 1

    def __enter__(self) -> Self:
        self._writing.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Write what waits, as far as it is taken."""
        try:
            self._lines.put(None, timeout=END_S)
        except queue.Full:
            return
        self._writing.join(END_S)

    def _run(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while (line := self._lines.get()) is not None:
                dropped, self._dropped = self._dropped, 0
                if dropped:
                    self._stream.write(f"{dropped} lines were dropped: nobody read them.\n")
                self._stream.write(f"{line}\n")
                if self._lines.empty():
                    self._stream.flush()
            self._stream.flush()
