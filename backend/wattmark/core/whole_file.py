"""A file appears whole or not at all: written beside its name, then renamed."""

from __future__ import annotations

import errno
import glob
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PART = ".part"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def write_whole(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file as `whole_file` does. Raises `OSError`."""
    with whole_file(path, private=private) as file:
        file.write(content)


@contextmanager
def whole_file(path: Path, *, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a file so that a full disk, a crash, a power cut or an error in the block leaves the previous content.

    A link is followed, the permissions of an existing file are kept, a ``private`` one is readable by its owner only;
    anything but a regular file (a pipe, /dev/null) is written directly. Raises `OSError`.
    """
    target = Path(os.path.realpath(path))
    if _is_special(target):
        with target.open("wb") as plain:
            yield plain
        return
    beside = part_beside(target)
    try:
        with os.fdopen(os.open(beside, _NEW, 0o600 if private else 0o666), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists() and not private:
            beside.chmod(target.stat().st_mode & 0o777)
        beside.replace(target)
        sync(target.parent)
    finally:
        beside.unlink(missing_ok=True)


def require_writable(path: Path) -> None:
    """Raise `OSError` where `whole_file` could not write; for work that takes long before there is what to write."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if _is_special(target):
        # To open a pipe would wait for who reads it.
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return
    beside = part_beside(target)
    os.close(os.open(beside, _NEW, 0o600))
    beside.unlink()


def _is_special(target: Path) -> bool:
    return target.exists() and not target.is_file()


def part_beside(target: Path) -> Path:
    """Return the path of a temporary file beside a file; it is short enough for every valid file name."""
    return target.with_name(f".{_beginning(target)}.{secrets.token_hex(4)}{PART}")


def _beginning(target: Path) -> str:
    return os.fsencode(target.name)[:100].decode(errors="ignore")


def remove_parts(path: Path) -> None:
    """Remove the temporary files that killed programs have left beside a file."""
    target = Path(os.path.realpath(path))
    for part in target.parent.glob(f".{glob.escape(_beginning(target))}.*{PART}"):
        part.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Write a file, or the names in a folder, to the disk: without it a power cut may lose a new name."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
