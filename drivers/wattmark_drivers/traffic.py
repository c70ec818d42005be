"""Listen to what is said to a device and what it answers, for a record of a real dialogue.

An engine asks for the `listener` when it opens a connection and tells it everything, logins left out. Nobody listens
unless a person asked for it, so it costs nothing otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

Direction = Literal["sent", "received"]
Listener = Callable[[Direction, bytes], None]
_LISTENER: ContextVar[Listener | None] = ContextVar("wattmark_traffic", default=None)


def listener() -> Listener | None:
    """Give who listens to the connections that this task opens; None for nobody."""
    return _LISTENER.get()


def tell(direction: Direction, data: bytes | str) -> None:
    """Tell who listens in this task, if anybody does."""
    heard = _LISTENER.get()
    if heard is not None:
        heard(direction, data.encode("utf-8", "replace") if isinstance(data, str) else data)


@contextmanager
def listening(heard: Listener) -> Iterator[None]:
    """Hear all traffic of devices that are opened inside the block."""
    token = _LISTENER.set(heard)
    try:
        yield
    finally:
        _LISTENER.reset(token)
