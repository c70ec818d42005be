"""Files that last as long as a request: few at a time, and never in the last of the room that samples need."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from wattmark.core.errors import WattmarkError
from wattmark.store.faults import explain_os

MOST = 4
KEPT_FREE = 256 * 2**20
"""Bytes of the disk that are left to samples."""


class Spool:
    """Places for files without a name beside the samples. Safe from any thread."""

    def __init__(self, folder: Path, most: int = MOST, kept_free: int = KEPT_FREE) -> None:
        self.folder = folder
        self._most = most
        self._kept_free = kept_free
        self._places = threading.Semaphore(most)

    def open(self) -> IO[bytes]:
        """Open a file that is deleted when it is closed. Raises `WattmarkError` when all places are taken.

        Raises `StoreError` where the folder takes no file. Writing raises `OSError` (no space) before the disk is full.
        """
        if not self._places.acquire(blocking=False):
            raise WattmarkError(
                f"{self._most} large file transfers are already in progress.", "Try again when one has finished."
            )
        try:
            with self.explaining_errors():
                descriptor, path = tempfile.mkstemp(dir=self.folder)
                Path(path).unlink()
            file = _File(descriptor, self._require_room, self._places.release)
        except BaseException:
            self._places.release()
            raise
        return _Buffered(file)

    @contextlib.contextmanager
    def explaining_errors(self) -> Iterator[None]:
        """Raise `StoreError` for every `OSError` inside the block, with the folder and the remedy."""
        try:
            yield
        except OSError as error:
            raise explain_os(error, self.folder) from error

    def _require_room(self, size: int) -> None:
        if shutil.disk_usage(self.folder).free - size < self._kept_free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class _Buffered(io.BufferedRandom):
    def close(self) -> None:
        with contextlib.suppress(OSError):  # the write already reported a full disk, and the rest is never read
            super().close()


class _File(io.FileIO):
    def __init__(self, descriptor: int, require_room: Callable[[int], None], closed: Callable[[], None]) -> None:
        super().__init__(descriptor, "r+b")
        self._require_room = require_room
        self._closed = closed

    def write(self, data: Any) -> int:
        self._require_room(len(data))
        return super().write(data)

    def close(self) -> None:
        if not self.closed:
            self._closed()
        super().close()
