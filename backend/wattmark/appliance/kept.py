"""Answers that are kept while nothing changes that they rest on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Key = TypeVar("Key", bound=Hashable)
MOST = 64
"""As many answers are kept; the oldest gives way."""


class KeptAnswers:
    """Keep answers by their question until ``revision`` gives another number; safe to use from several threads."""

    def __init__(self, revision: Callable[[], int], most: int = MOST) -> None:
        self._revision = revision
        self._most = most
        self._lock = threading.Lock()
        self._at: int | None = None
        self._answers: dict[Hashable, Any] = {}

    def answer(self, question: Hashable, find: Callable[[], T], holds: Callable[[T], bool] = lambda _: True) -> T:
        """Give the kept answer, or find it and keep it where it ``holds``; what changes meanwhile is not missed."""
        now = self._revision()
        with self._lock:
            if self._at != now:
                self._at, self._answers = now, {}
            elif question in self._answers:
                kept: T = self._answers[question]
                return kept
        found = find()
        with self._lock:
            if self._at == now and holds(found):
                self._answers[question] = found
                if len(self._answers) > self._most:
                    del self._answers[next(iter(self._answers))]
        return found


class Newest(Generic[Key, T]):
    """Keep so many values, the one that came first gives way; safe to use from several threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._values: dict[Key, T] = {}

    def __contains__(self, key: Key) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[Key]:
        with self._lock:
            return iter(tuple(self._values))

    def get(self, key: Key) -> T | None:
        """Give a value; None where it is not kept."""
        with self._lock:
            return self._values.get(key)

    def put(self, key: Key, value: T) -> None:
        """Keep a value in the place of the one that this key had."""
        with self._lock:
            self._values[key] = value
            if len(self._values) > self._most:
                del self._values[next(iter(self._values))]
