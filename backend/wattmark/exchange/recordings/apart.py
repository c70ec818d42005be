"""Read Parquet files in a process of its own: the library ends the process at some damaged ones."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from wattmark.core.errors import InputError
from wattmark.core.extras import require

T = TypeVar("T")
MAGIC = b"PAR1"
_TAIL = 8
"""Bytes of the length of the footer and the magic word at the end (Apache Parquet, file format)."""


class Apart:
    """A process that reads files one after the other; it starts with the first, and a new one after a damaged file."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def read(self, path: Path, read: Callable[[Path], T | str]) -> T:
        """Read a file by a function that runs in that process; a text that it returns is why it cannot.

        Raises `InputError` for a file that is no Parquet, is damaged, or cannot be read.
        """
        require("parquet", "arro3.io", "Parquet needs")
        _check_frame(path)
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, get_context("spawn"), initializer=_silence)
        try:
            outcome = self._pool.submit(read, path).result()
        except BrokenProcessPool as error:
            self._end()
            raise _refused(path, "it is damaged") from error
        if isinstance(outcome, str):
            raise _refused(path, outcome)
        return outcome

    def _end(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


def read_apart(path: Path, read: Callable[[Path], T | str]) -> T:
    """Read one file as `Apart.read` does."""
    with Apart() as apart:
        return apart.read(path, read)


def _silence() -> None:
    """Keep what the library prints about a damaged file away from the person who asked."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


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
