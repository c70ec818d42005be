"""A file appears whole or not at all: written beside its name, then renamed."""

from __future__ import annotations

import glob
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PART = ".part"


def write_whole(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file so that a full disk, a crash or a power cut leaves the previous content.

    A link is followed, the permissions of an existing file are kept, a ``private`` one is readable by its owner only;
    anything but a regular file (a pipe, /dev/null) is written directly. Raises `OSError`.
    """
    with whole_or_plain(path, private=private) as file:
        file.write(content)


@contextmanager
def whole_or_plain(path: Path, *, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a file as `whole_file` does, or a special file (a pipe, /dev/null) directly. Raises `OSError`."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with target.open("wb") as plain:
            yield plain
        return
    with whole_file(target, private=private) as file:
        yield file


@contextmanager
def whole_file(path: Path, *, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a file for writing that replaces ``path`` when the block succeeds. Raises `OSError`."""
    target = Path(os.path.realpath(path))
    beside = part_beside(target)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(beside, flags, 0o600 if private else 0o666), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists() and not private:
            beside.chmod(target.stat().st_mode & 0o777)
        beside.replace(target)
        sync(target.parent)
    finally:
        beside.unlink(missing_ok=True)


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
