"""A file appears whole or not at all: written beside its name, then renamed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def write_whole(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file so that a full disk, a broken program or a power cut leaves what stood there before.

    A link is followed, the permissions of a file that is there are kept, a ``private`` one is its owner's alone; what is
    no ordinary file (a pipe, /dev/null) is written as it is. Raises `OSError`.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    with whole_file(target) as file:
        file.write(content)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Lend a file to write to that takes the name of ``path`` when the block ends well. Raises `OSError`."""
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o777)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
