"""How far a long piece of work has come: the work says what it has done, and whoever waits for it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

Step = Literal["read", "stored", "evaluated"]
"""What is counted: bytes that were read, samples that were stored, results that were evaluated."""
OnDone = Callable[[Step, int], None]
_LISTENER: ContextVar[OnDone | None] = ContextVar("progress", default=None)


@contextmanager
def progress_told(on_done: OnDone) -> Iterator[None]:
    """Tell ``on_done`` what the work inside the block has done, each time some more."""
    token = _LISTENER.set(on_done)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def note_done(step: Step, amount: int) -> None:
    """Report that some more has been done; nothing happens where nobody waits to be told."""
    on_done = _LISTENER.get()
    if on_done is not None:
        on_done(step, amount)
