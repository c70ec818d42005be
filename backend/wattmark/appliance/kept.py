"""Answers that are kept while nothing changes that they rest on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")
MOST = 64
"""As many answers are kept; the oldest gives way."""


class KeptAnswers:
    """Keep answers by their question until ``revision`` gives another number; safe to use from several threads."""

    def __init__(self, revision: Callable[[], int]) -> None:
        self._revision = revision
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
                if len(self._answers) > MOST:
                    del self._answers[next(iter(self._answers))]
        return found
