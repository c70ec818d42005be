"""Walk a tree of folders without passing over what cannot be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

OF_THE_FILE_SYSTEM = "lost+found"
"""A folder that only root may read, and that holds nothing of anybody."""


def walk(folder: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Iterate over a folder and all below it, each with the names of its folders and of its files, in their order.

    Raises `OSError` for a folder that cannot be read: `os.walk` and `Path.rglob` pass over it, and what is in it would
    be missing in silence.
    """
    for place, below, names in os.walk(folder, onerror=_refuse):
        below[:] = sorted(name for name in below if name != OF_THE_FILE_SYSTEM)
        yield Path(place), below, sorted(names)


def _refuse(error: OSError) -> None:
    raise error
