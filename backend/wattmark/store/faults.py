"""Turn what SQLite and the operating system report into a cause and a remedy."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
from pydantic import ValidationError

from wattmark.core.errors import StoreError
from wattmark.core.validation import first_mistake

_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_ELSEWHERE = "Give this user access or choose another folder with --data DIR."

REPORTED = (apsw.Error, UnicodeDecodeError)
"""Exceptions that reading and writing the file can raise; text that is not UTF-8 is damage."""


def explain(error: Exception, path: Path, system_errno: int = 0) -> StoreError:
    """Build the `StoreError` for a `REPORTED` error on ``path``, with cause and remedy."""
    detail = os.strerror(system_errno) if system_errno else str(error)
    if isinstance(error, apsw.FullError) or (isinstance(error, apsw.IOError) and system_errno in _NO_SPACE):
        return no_space(path, detail)
    match error:
        case apsw.NotADBError():
            return foreign(path)
        case apsw.CorruptError() | UnicodeDecodeError():
            return damaged_file(path, str(error))
        case apsw.BusyError() | apsw.LockedError():
            return StoreError(
                f"{path} is locked by another program.", "Close that program (a SQLite browser?) and try again."
            )
        case apsw.InterruptError():
            return StoreError(f"{path} was closed during this operation.", "Start the service again.")
        case apsw.CantOpenError() | apsw.PermissionsError():
            return StoreError(f"{path} cannot be opened: {detail}.", _ELSEWHERE)
        case apsw.ReadOnlyError():
            return unwritable(path, detail)
        case apsw.IOError():
            return StoreError(f"{path} cannot be read or written: {detail}.", "Check the disk.")
        case _:
            return StoreError(f"{path}: {error}.", "This is a defect of wattmark: please report it.")


def explain_os(error: OSError, path: Path) -> StoreError:
    """Build the `StoreError` for an operating system's error on ``path``, with cause and remedy."""
    detail = error.strerror or str(error)
    if error.errno == errno.ENOSPC and files_left(path) == 0:
        return no_files(path)
    return no_space(path, detail) if error.errno in _NO_SPACE else unwritable(path, detail)


def explain_reading(error: OSError, path: Path) -> StoreError:
    """Build the `StoreError` for a file or folder of the data folder that cannot be read."""
    return StoreError(f"{path} cannot be read: {error.strerror or error}.", _ELSEWHERE)


def files_left(path: Path) -> int | None:
    """Count the free inodes of the disk of a path; None where its file system sets no limit."""
    try:
        status = os.statvfs(path)
    except OSError:
        return None
    return status.f_favail if status.f_files else None


def no_files(path: Path) -> StoreError:
    """Build the error of a disk without free inodes."""
    return StoreError(
        f"The disk of {path} has no free inodes, so no more files can be created.",
        "Delete unneeded files on it, then try again.",
    )


def no_space(path: Path, detail: str) -> StoreError:
    """Build the error of an exhausted disk, quota or file-size limit."""
    return StoreError(f"No space left to write {path} ({detail}).", "Free disk space, then try again.")


def unwritable(path: Path, detail: str) -> StoreError:
    """Build the error of a folder or file that this user cannot write."""
    return StoreError(f"{path} cannot be written: {detail}.", _ELSEWHERE)


def foreign(path: Path) -> StoreError:
    """Build the error for a file that is not a wattmark database."""
    return StoreError(
        f"{path} is not a wattmark database.", "Move the file away, or choose another folder with --data DIR."
    )


def damaged_file(path: Path, detail: str) -> StoreError:
    """Build the error of a file that SQLite cannot read, or that has lost its structure."""
    return StoreError(f"{path} is damaged ({detail}).", "Restore it from a backup.")


def damaged(path: Path, part: str) -> StoreError:
    """Build the error of data whose checksum does not match."""
    return StoreError(
        f"{part} in {path} is damaged: its checksum does not match.",
        "Everything else is still readable. Restore this part from a backup.",
    )


def unreadable(path: Path, part: str, error: Exception) -> StoreError:
    """Build the error of intact data that its reader refuses, with the reason."""
    return StoreError(
        f"{part} in {path} cannot be read ({why(error)}).",
        "`wattmark doctor --deep` lists everything that cannot be read, and what to do.",
    )


def why(error: Exception) -> str:
    """Explain in one line why something cannot be read."""
    if isinstance(error, ValidationError):
        return first_mistake(error)
    return f"{error}"[:300] or type(error).__name__


@contextmanager
def explained(path: Path, connection: apsw.Connection | None = None) -> Iterator[None]:
    """Raise `StoreError` for every `REPORTED` error inside the block."""
    try:
        yield
    except REPORTED as error:
        raise explain(error, path, connection.system_errno if connection else 0) from error
