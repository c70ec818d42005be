"""Whether somebody still waits for a long piece of work: it asks at each step, and ends early where nobody does."""

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
    """The work was ended because nobody waits for it any more."""


@contextmanager
def wanted_until(abandoned: threading.Event) -> Iterator[None]:
    """Let the work inside the block end early once ``abandoned`` is set."""
    token = _ABANDONED.set(abandoned)
    try:
        yield
    finally:
        _ABANDONED.reset(token)


def require_wanted() -> None:
    """Go on. Raises `Abandoned` where nobody waits for the work any more."""
    abandoned = _ABANDONED.get()
    if abandoned is not None and abandoned.is_set():
        raise Abandoned("Nobody waits for this any more, so it was ended and nothing was kept.", "Send it again.")


def wanted(steps: Iterable[T]) -> Iterator[T]:
    """Yield the steps of work as long as somebody waits for it. Raises `Abandoned`."""
    for step in steps:
        require_wanted()
        yield step
