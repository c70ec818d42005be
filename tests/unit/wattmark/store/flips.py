"""Single flipped bits in the pages of a database file that hold SQLite's own structure."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

PAGE = 4096
STRUCTURE = {2, 5, 10, 13}
"""First byte of a page of a b-tree (SQLite file format, 1.6); other pages hold samples, which have checksums."""

Place = tuple[int, int]
"""Which byte, and which bit of it."""


def flips(whole: bytes, path: Path, times: int) -> Iterator[Place]:
    """Write the file with one bit flipped by chance, alone in its folder, so many times; WATTMARK_SEED draws others."""
    pages = [page for page in range(len(whole) // PAGE) if whole[page * PAGE + (100 if page == 0 else 0)] in STRUCTURE]
    chance = random.Random(os.environ.get("WATTMARK_SEED", "2006"))
    for _ in range(times):
        hurt = bytearray(whole)
        offset, bit = chance.choice(pages) * PAGE + chance.randrange(PAGE), 1 << chance.randrange(8)
        hurt[offset] ^= bit
        for file in path.parent.iterdir():
            file.unlink()
        path.write_bytes(hurt)
        yield offset, bit
