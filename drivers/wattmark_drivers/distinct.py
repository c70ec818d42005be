"""Plain names that stay apart, however alike the words that they were made of are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def distinct(plain: Sequence[str], unambiguous: Sequence[str]) -> list[str]:
    """Choose each plain name, or the unambiguous one beside it where the plain one is empty or meets another.

    The unambiguous names are distinct among themselves. A plain name that reads like a chosen one gives way as well.
    """
    gives_way = {index for index, name in enumerate(plain) if not name}
    while True:
        names = [unambiguous[index] if index in gives_way else name for index, name in enumerate(plain)]
        count = Counter(names)
        meeting = {index for index, name in enumerate(names) if count[name] > 1} - gives_way
        if not meeting:
            return names
        gives_way |= meeting
