"""The list of free pages of a file (SQLite file format, 1.5): whether it is as it should be, and writing it again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from struct import Struct
from typing import BinaryIO

from wattmark.store.schema import PAGE, page_of

_HEAD = Struct(">II")
"""The first page of the list and how many pages are free; in a page of the list, the next and how many it names."""
_PLACE = 32
_MOST = PAGE // 4 - 8
"""Free pages that one page of the list names; SQLite itself leaves the last six places empty."""


def is_sound(path: Path) -> bool:
    """Return whether the list of a closed file has as many pages as its header states, each within the file."""
    with path.open("rb") as file:
        pages = file.seek(0, 2) // PAGE
        trunk, expected = _HEAD.unpack_from(page_of(file, 0), _PLACE)
        counted, visited = 0, set[int]()
        while trunk:
            if trunk > pages or trunk in visited:
                return False
            visited.add(trunk)
            trunk, named = _HEAD.unpack_from(page_of(file, trunk - 1))
            counted += 1 + named
        return counted == int(expected)


def write(file: BinaryIO, free: Sequence[int]) -> None:
    """Make a list of these pages, by their numbers from 1, and name it in the header."""
    step = 1 + _MOST
    trunks = free[::step]
    for position, (trunk, following) in enumerate(pairwise([*trunks, 0])):
        named = free[position * step + 1 : (position + 1) * step]
        content = _HEAD.pack(following, len(named)) + b"".join(page.to_bytes(4, "big") for page in named)
        file.seek((trunk - 1) * PAGE)
        file.write(content.ljust(PAGE, b"\0"))
    file.seek(_PLACE)
    file.write(_HEAD.pack(trunks[0] if trunks else 0, len(free)))
