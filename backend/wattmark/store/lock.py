"""The promise that one process alone writes to a data folder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from wattmark.core.errors import StoreError
from wattmark.store.faults import explain_os


class FolderLock:
    """Hold ``wattmark.lock`` exclusively until `release` or the end of the process, however it ends."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / "wattmark.lock"
        try:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise explain_os(error, self._path) from error
        try:
            self._take()
        except BaseException:
            os.close(self._fd)
            raise

    def _take(self) -> None:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError as error:
            raise self._held() from error
        except OSError as error:
            raise explain_os(error, self._path) from error

    def _held(self) -> StoreError:
        pid = os.pread(self._fd, 32, 0).decode(errors="replace").strip() or "unknown"
        return StoreError(
            f"The data folder {self._path.parent} is in use by process {pid}.",
            f"Stop it (kill {pid}) or choose another folder with --data DIR."
            if pid.isdigit()
            else "Stop the other wattmark or choose another folder with --data DIR.",
        )

    def release(self) -> None:
        """Release the folder; the file stays, because removing it would race with the next process."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
