"""Listen to what is said to a device and what it answers, for a record of a real dialogue.

An engine asks for the `listener` when it opens a connection and tells it everything, logins excluded. Nobody listens
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
    """Return the listener to the connections that this task opens; None where there is none."""
    return _LISTENER.get()


def tell(direction: Direction, data: bytes | str) -> None:
    """Report bytes to this task's traffic listener, if any."""
    heard = _LISTENER.get()
    if heard is not None:
        heard(direction, data.encode("utf-8", "replace") if isinstance(data, str) else data)


@contextmanager
def listening(heard: Listener) -> Iterator[None]:
    """Report all traffic of devices that are opened inside the block to a listener."""
    token = _LISTENER.set(heard)
    try:
        yield
    finally:
        _LISTENER.reset(token)
