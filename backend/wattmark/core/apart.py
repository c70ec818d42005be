"""Read Parquet files in a separate process: damaged ones can crash it, and small ones can expand beyond its memory."""

from __future__ import annotations

import os
import pickle
import select
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self, TypeVar, cast

from wattmark.core.errors import InputError
from wattmark.core.extras import require
from wattmark.core.wanted import require_wanted

T = TypeVar("T")
MAGIC = b"PAR1"
TIME_S = 120.0
"""Longest time that a file may take."""
MEMORY_BYTES = 3 * 2**30
"""Most memory of the process: twenty million readings need about half."""
LENGTH = struct.Struct("<Q")
"""Begins every message in both directions: how many bytes follow."""
_LARGEST_ANSWER = 2**31
_LOOK_S = 0.1
"""Interval at which the waiting thread checks that its caller still waits [s]."""
_PIECE = 2**20
_TAIL = 8
"""Bytes of the length of the footer and the magic word at the end (Apache Parquet, file format)."""


class Apart:
    """A process that reads files one after the other; it starts with the first, and a new one after a damaged file.

    It dies with the thread that read the first file. ``time_s`` bounds each file, ``memory_bytes`` the process.
    """

    def __init__(self, time_s: float = TIME_S, memory_bytes: int = MEMORY_BYTES) -> None:
        self._time_s = time_s
        self._memory_bytes = memory_bytes
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def read(self, path: Path, read: Callable[[Path], T | str]) -> T:
        """Read a file by a function that runs in that process; a text that it returns is the reason for a failure.

        Raises `InputError` for a file that is not Parquet, is damaged, cannot be read, or needs more time or memory
        than there is for it; `Abandoned` where no caller waits any more.
        """
        require("parquet", "arro3.io", "Parquet needs")
        _check_frame(path)
        try:
            outcome: T | str = self._ask(path, read)
        except TimeoutError as error:
            self._end()
            raise _refused(path, f"reading it takes longer than {self._time_s:g} s") from error
        except EOFError as error:
            self._end()
            gib = self._memory_bytes / 2**30
            raise _refused(path, f"it is damaged, or it needs more than {gib:g} GiB of memory") from error
        except BaseException:
            self._end()
            raise
        if isinstance(outcome, str):
            raise _refused(path, outcome)
        return outcome

    def _ask(self, path: Path, read: Callable[[Path], T | str]) -> T | str:
        """Send one order and wait for its answer. Raises `EOFError` where the process has ended, `TimeoutError`."""
        if self._child is None:
            self._child = _start(self._time_s, self._memory_bytes)
        until_s = time.monotonic() + self._time_s
        order = pickle.dumps((read, path))
        orders, answers = cast("IO[bytes]", self._child.stdin), cast("IO[bytes]", self._child.stdout)
        try:
            orders.write(LENGTH.pack(len(order)) + order)
            orders.flush()
        except BrokenPipeError as error:
            raise EOFError from error
        (length,) = LENGTH.unpack(_receive(answers, LENGTH.size, until_s))
        if length > _LARGEST_ANSWER:
            raise EOFError
        answer: T | str = pickle.loads(_receive(answers, length, until_s))  # noqa: S301 - of our own process
        return answer

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            with suppress(BrokenPipeError):  # what was not sent yet
                child.communicate()


def read_apart(path: Path, read: Callable[[Path], T | str]) -> T:
    """Read one file as `Apart.read` does."""
    with Apart() as apart:
        return apart.read(path, read)


def _start(time_s: float, memory_bytes: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", "wattmark.core.apart_process"]
    limits = [str(os.getpid()), str(int(time_s) + 1), str(memory_bytes)]
    return subprocess.Popen(
        [*command, *limits], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def _receive(pipe: IO[bytes], length: int, until_s: float) -> bytearray:
    """Read bytes of a pipe, and look now and then whether anybody still waits for them."""
    received = bytearray()
    while len(received) < length:
        require_wanted()
        if time.monotonic() > until_s:
            raise TimeoutError
        if select.select([pipe], [], [], _LOOK_S)[0]:
            piece = os.read(pipe.fileno(), min(_PIECE, length - len(received)))
            if not piece:
                raise EOFError
            received += piece
    return received


def _check_frame(path: Path) -> None:
    """Check that a file begins and ends as Parquet does, and that its footer lies in it. Raises `InputError`."""
    size = path.stat().st_size
    with path.open("rb") as file:
        begin = file.read(len(MAGIC))
        file.seek(max(0, size - _TAIL))
        tail = file.read(_TAIL)
    if size < len(MAGIC) + _TAIL or begin != MAGIC or not tail.endswith(MAGIC):
        raise _refused(path, "it is not a whole Parquet file")
    if int.from_bytes(tail[:4], "little") > size - len(MAGIC) - _TAIL:
        raise _refused(path, "its footer is larger than the file")


def _refused(path: Path, reason: str) -> InputError:
    return InputError(f"{path.name} cannot be read as Parquet: {reason}.", "Restore the file from its source.")
