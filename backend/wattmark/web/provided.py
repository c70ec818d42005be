"""Access of routes to the single instance of a class that the service was composed with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

from fastapi import Depends, Request

T = TypeVar("T")


def provider(kind: type[T]) -> Callable[[Request], Awaitable[T]]:
    """Build the function that reads the service's instance of a class from a request's application."""

    async def take(request: Request) -> T:
        return cast("T", request.app.state.provided[kind])

    return take


def provided(kind: type[object]) -> Any:
    """Return a route's dependency on the service's instance of a class: ``Annotated[Trash, provided(Trash)]``."""
    return Depends(provider(kind))
