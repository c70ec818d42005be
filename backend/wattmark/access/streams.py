"""Answers that go on, by who opened them: a revoked token or a session that was ended ends its own at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Who = TypeVar("Who")


class OpenStreams(Generic[Who]):
    """Remember how to end each open stream."""

    def __init__(self) -> None:
        self._ends: list[tuple[Who, Callable[[], None]]] = []

    @contextmanager
    def opened(self, who: Who, end: Callable[[], None]) -> Iterator[None]:
        """Remember a stream while the block lasts; ``end`` may be called from any thread."""
        entry = (who, end)
        self._ends.append(entry)
        try:
            yield
        finally:
            self._ends.remove(entry)

    def end_all(self, whose: Callable[[Who], bool]) -> None:
        """End the streams of some."""
        for who, end in list(self._ends):
            if whose(who):
                end()

    def __len__(self) -> int:
        return len(self._ends)
