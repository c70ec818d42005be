"""The promise that one process alone writes to a data folder."""

from __future__ import annotations

import fcntl
import os
import re
from pathlib import Path

from wattmark.core.errors import StoreError
from wattmark.store.faults import explain_os

_NAME = "wattmark.lock"
_ADDRESS = re.compile(r"https?://[!-~]{1,200}")


class FolderInUse(StoreError):  # noqa: N818 - reads better at the raise site
    """Another process writes to the data folder; ``address`` is that of its web app where it has one."""

    def __init__(self, folder: Path, process: str, address: str | None) -> None:
        self.folder = folder
        self.address = address
        service = f", a service at {address}" if address else ""
        super().__init__(
            f"The data folder {folder} is in use by process {process}{service}.",
            "Make the change there, or choose another folder with --data DIR.",
        )


def writer_of(data_dir: Path) -> int | None:
    """Return the number of the process that writes to a data folder; None where none does, or that cannot be seen."""
    try:
        fd = os.open(data_dir / _NAME, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        number = os.pread(fd, 20, 0).partition(b"\n")[0]
        return int(number) if number.isdigit() else None
    except OSError:
        return None
    finally:
        os.close(fd)
    return None


class FolderLock:
    """Hold ``wattmark.lock`` exclusively until `release` or the end of the process, however it ends."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / _NAME
        try:
            self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise explain_os(error, self._path) from error
        try:
            self._take()
        except BaseException:
            os.close(self._fd)
            raise

    def announce(self, address: str) -> None:
        """Write the address of this service for those who find the folder in use. Raises `StoreError`."""
        try:
            os.pwrite(self._fd, f"{os.getpid()}\n{address}\n".encode(), 0)
        except OSError as error:
            raise explain_os(error, self._path) from error

    def _take(self) -> None:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError as error:
            raise self._held() from error
        except OSError as error:
            raise explain_os(error, self._path) from error

    def _held(self) -> FolderInUse:
        process, address, *_ = [*os.pread(self._fd, 300, 0).decode("ascii", "replace").split("\n"), "", ""]
        return FolderInUse(
            self._path.parent,
            process if process.isdigit() else "unknown",
            address if _ADDRESS.fullmatch(address) else None,
        )

    def release(self) -> None:
        """Release the folder; the file stays, because removing it would race with the next process."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
