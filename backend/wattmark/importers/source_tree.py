"""The folders and files of a source; one that cannot be read is told, as the import would lack what is in it."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable
from pathlib import Path

from wattmark.core.errors import InputError
from wattmark.core.folders import walk


def folders_of(root: Path) -> list[tuple[Path, list[str], list[str]]]:
    """List a folder and all below it, sorted, each with the names of its folders and of its files.

    Raises `InputError` where one cannot be read.
    """
    try:
        return sorted(walk(root))
    except OSError as error:
        raise InputError(
            f"{error.filename or root} cannot be read: {error.strerror or error}.",
            "Give this user access to it, or import the folders beside it one by one.",
        ) from None


def files_of(root: Path) -> list[Path]:
    """List all files of a folder and below it, sorted. Raises `InputError` where a folder cannot be read."""
    return sorted(folder / name for folder, _, names in folders_of(root) for name in names)


def files_that_begin(
    files: Iterable[Path], begins: Callable[[bytes], bool], size: int
) -> tuple[list[Path], list[Path]]:
    """Choose the files whose first bytes are of a kind, and beside them those that cannot be read.

    Nobody knows what these hold: who lists a source lists them too, and reading them says why they are refused.
    """
    chosen, unreadable = [], []
    for path in files:
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                continue  # a pipe would never end
            with path.open("rb") as file:
                head = file.read(size)
        except OSError:
            unreadable.append(path)
            continue
        if begins(head):
            chosen.append(path)
    return chosen, unreadable
