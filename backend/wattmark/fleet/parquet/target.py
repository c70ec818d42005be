"""Where an archive lies: a folder; what every such place can do. A file appears there whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from wattmark.core.errors import InputError, NotFound, WattmarkError
from wattmark.core.folders import walk
from wattmark.fleet.parquet.layout import FORMAT, MARKER

PARTS = "_parts"
"""Folder with what is being written."""
_AGAIN = "and run the command again: what is complete stays"


class ParquetTarget(Protocol):
    """A place for files with paths such as `run/lab=North/month=2026-11/3f2a.parquet`."""

    @property
    def name(self) -> str:
        """Return the place as it was named."""
        ...

    @property
    def scratch(self) -> Path:
        """Return a local folder in which files are written before they are published."""
        ...

    def open(self, owner: str) -> None:
        """Prepare to write. Raises `WattmarkError` where that is not possible."""
        ...

    def anything(self) -> str | None:
        """Name something that is there already; None: the place is empty, or not there."""
        ...

    def files(self, folder: str) -> list[str]:
        """List the files in a folder and below."""
        ...

    def read(self, path: str) -> bytes:
        """Read a small file. Raises `NotFound`."""
        ...

    def fetch(self, path: str) -> Path:
        """Return a local file with the content of a file; valid until the next call."""
        ...

    def publish(self, written: Path, path: str) -> None:
        """Move a local file to its place, where it replaces the one of before."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file; nothing happens where there is none."""
        ...

    def close(self) -> None:
        """Remove what is temporary."""
        ...


class Folder:
    """A folder on this machine, or mounted there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._scratch = folder / PARTS

    @property
    def name(self) -> str:
        return str(self._folder)

    @property
    def scratch(self) -> Path:
        return self._scratch

    def open(self, owner: str) -> None:
        self._scratch = self._folder / PARTS / owner
        with failing(self.name):
            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch.mkdir(parents=True)

    def anything(self) -> str | None:
        with failing(self.name):
            if self._folder.exists() and not self._folder.is_dir():
                raise InputError(f"{self.name} is not a folder.", "Choose another one.")
            entries = self._folder.iterdir() if self._folder.is_dir() else iter(())
            return next((entry.name for entry in entries if entry.name != PARTS), None)

    def files(self, folder: str) -> list[str]:
        with failing(self.name):
            root = self._folder / folder
            walked = walk(root) if root.exists() else ()
            paths = (place / name for place, _, names in walked for name in names)
            return sorted(path.relative_to(self._folder).as_posix() for path in paths if path.is_file())

    def read(self, path: str) -> bytes:
        try:
            return (self._folder / path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound(f"{self.name} has no file {path}.", "Restore it from a copy.") from None
        except OSError as error:
            raise failed(self.name, error) from error

    def fetch(self, path: str) -> Path:
        return self._folder / path

    def publish(self, written: Path, path: str) -> None:
        target = self._folder / path
        with failing(self.name):
            target.parent.mkdir(parents=True, exist_ok=True)
            with written.open("rb") as file:
                os.fsync(file.fileno())
            written.replace(target)
            _sync(target.parent)

    def remove(self, path: str) -> None:
        with failing(self.name):
            (self._folder / path).unlink(missing_ok=True)

    def close(self) -> None:
        shutil.rmtree(self._scratch, ignore_errors=True)
        for empty in (self._scratch.parent, self._folder):
            if not empty.is_dir() or any(empty.iterdir()):
                return
            empty.rmdir()


def is_marked(target: ParquetTarget) -> bool:
    """Return whether an archive is at a target. Raises `InputError` where it is one of another kind."""
    try:
        form = json.loads(target.read(MARKER))["format"]
    except NotFound:
        return False
    except (ValueError, KeyError, TypeError, RecursionError):
        form = "damaged"
    if form != FORMAT:
        raise InputError(
            f"{target.name} is an archive of another kind ({str(form)[:50]}).",
            "Update wattmark, or choose another folder.",
        )
    return True


@contextmanager
def failing(name: str) -> Iterator[None]:
    """Raise `WattmarkError` instead of `OSError`."""
    try:
        yield
    except OSError as error:
        raise failed(name, error) from error


def failed(name: str, error: OSError) -> WattmarkError:
    """Explain why files of an archive cannot be written or read, and what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return WattmarkError(f"The disk of {name} is full.", f"Free some space {_AGAIN}.")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return WattmarkError(f"{name} cannot be written: {error.strerror}.", f"Change its permissions {_AGAIN}.")
    return WattmarkError(f"{name} cannot be used: {error.strerror or error}.", "Choose another folder.")


def _sync(folder: Path) -> None:
    """Write the folder's names to the disk: without it a power cut may lose the new name."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
