"""Cancellation of long work: it checks at each step that a caller still waits, and ends early otherwise."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from wattmark.core.errors import WattmarkError

T = TypeVar("T")
_ABANDONED: ContextVar[threading.Event | None] = ContextVar("abandoned", default=None)


class Abandoned(WattmarkError):  # noqa: N818 - reads better at the raise site
    """The work was cancelled because no caller waits for it."""


@contextmanager
def wanted_until(abandoned: threading.Event) -> Iterator[None]:
    """Let the work inside the block end early once ``abandoned`` is set."""
    token = _ABANDONED.set(abandoned)
    try:
        yield
    finally:
        _ABANDONED.reset(token)


def require_wanted() -> None:
    """Continue. Raises `Abandoned` where no caller waits for the work."""
    abandoned = _ABANDONED.get()
    if abandoned is not None and abandoned.is_set():
        raise Abandoned("Nobody waits for this any more, so it was ended and nothing was kept.", "Send it again.")


def wanted(steps: Iterable[T]) -> Iterator[T]:
    """Yield the steps of work while a caller waits for it. Raises `Abandoned`."""
    for step in steps:
        require_wanted()
        yield step
