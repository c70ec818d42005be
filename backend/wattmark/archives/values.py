"""How many values the documents of an archive may hold: a few characters of JSON take hundreds of bytes of memory."""

from __future__ import annotations

MOST_OF_ONE = 2_000_000
"""Values of one document; that of a run has 1500."""
MOST = 20_000_000
"""Values of all documents together."""


class Values:
    """Count the values of the documents that are read or written, one after the other."""

    def __init__(self, most_of_one: int = MOST_OF_ONE, most: int = MOST) -> None:
        self._most_of_one = most_of_one
        self._left = most

    def fit(self, content: bytes) -> bool:
        """Count a document without parsing it, and return whether it may be read.

        Signs inside texts may make it more, never less.
        """
        count = 1 + sum(map(content.count, (b",", b"[", b"{")))
        self._left -= count
        return count <= self._most_of_one and self._left >= 0
