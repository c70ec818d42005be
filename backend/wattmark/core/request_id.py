"""The id of the request that is being answered: in its answer, and on every log line that it causes."""

from __future__ import annotations

from contextvars import ContextVar

HEADER = "X-Request-ID"
_current: ContextVar[str] = ContextVar("request_id", default="")


def request_id() -> str:
    """Return the request's id; empty outside a request."""
    return _current.get()


def set_request_id(identifier: str) -> None:
    """Set the request's id for what follows in this task and its threads."""
    _current.set(identifier)
