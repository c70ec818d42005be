"""Progress of long work: the work reports what is done to whoever waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

Step = Literal["read", "verified", "stored", "written", "restored", "compared", "evaluated"]
"""Counted units: bytes read and verified, samples stored, runs written, restored and compared, results evaluated."""
OnDone = Callable[[Step, int, int | None], None]
"""Takes a step, an increment of it, and the whole of it where that is known."""
_LISTENER: ContextVar[OnDone | None] = ContextVar("progress", default=None)


@contextmanager
def progress_told(on_done: OnDone) -> Iterator[None]:
    """Report each increment of the work inside the block to ``on_done``."""
    token = _LISTENER.set(on_done)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def note_done(step: Step, amount: int, of: int | None = None) -> None:
    """Report an increment of work, and how much it is ``of`` in all; without a listener this has no effect."""
    on_done = _LISTENER.get()
    if on_done is not None:
        on_done(step, amount, of)
