"""Answers that go on, by the token they were opened with: a revoked token ends its own at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class OpenStreams:
    """Remember how to end each open stream."""

    def __init__(self) -> None:
        self._ends: list[tuple[str, Callable[[], None]]] = []

    @contextmanager
    def opened(self, token: str, end: Callable[[], None]) -> Iterator[None]:
        """Remember a stream while the block lasts; ``end`` may be called from any thread."""
        entry = (token, end)
        self._ends.append(entry)
        try:
            yield
        finally:
            self._ends.remove(entry)

    def end_all_of(self, token: str) -> None:
        """End the streams of a token."""
        for name, end in list(self._ends):
            if name == token:
                end()

    def __len__(self) -> int:
        return len(self._ends)
