"""The target of a request, for the audit log, where its path does not name it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request

from wattmark.access.audit import described


def note_target(request: Request, *names: str) -> None:
    """Record the target of a request for the audit log, replacing an earlier note."""
    request.state.target = described(names)


def _about(request: Request) -> Callable[..., None]:
    return lambda *names: note_target(request, *names)


About = Annotated[Callable[..., None], Depends(_about)]
"""Parameter of a route: call it with the names of what the route is about, before anything is done to them."""
