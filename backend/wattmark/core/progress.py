"""Progress of long work: the work reports what is done to whoever waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

Step = Literal["read", "stored", "evaluated"]
"""Counted units: bytes read, samples stored, results evaluated."""
OnDone = Callable[[Step, int], None]
_LISTENER: ContextVar[OnDone | None] = ContextVar("progress", default=None)


@contextmanager
def progress_told(on_done: OnDone) -> Iterator[None]:
    """Report each increment of the work inside the block to ``on_done``."""
    token = _LISTENER.set(on_done)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def note_done(step: Step, amount: int) -> None:
    """Report an increment of work; without a listener this has no effect."""
    on_done = _LISTENER.get()
    if on_done is not None:
        on_done(step, amount)
