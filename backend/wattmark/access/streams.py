"""Answers that go on, by who opened them: a revoked token or a session that was ended ends its own at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Owner = TypeVar("Owner")


class OpenStreams(Generic[Owner]):
    """Remember how to end each open stream."""

    def __init__(self) -> None:
        self._ends: list[tuple[Owner, Callable[[], None]]] = []

    @contextmanager
    def opened(self, owner: Owner, end: Callable[[], None]) -> Iterator[None]:
        """Register a stream while the block lasts; ``end`` may be called from any thread."""
        entry = (owner, end)
        self._ends.append(entry)
        try:
            yield
        finally:
            self._ends.remove(entry)

    def end_all(self, is_ended: Callable[[Owner], bool]) -> None:
        """Stop the streams whose owner fulfils a condition."""
        for owner, end in list(self._ends):
            if is_ended(owner):
                end()

    def __len__(self) -> int:
        return len(self._ends)
