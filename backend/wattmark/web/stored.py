"""Routes about stored runs, which another process may answer so that reading never delays a meter (decision 0039)."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from wattmark.web.operation import operation_id


class StoredRoute(APIRoute):
    """A route that ``app.state.elsewhere(request, operation)`` answers, or this process where that returns None."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return a handler that asks the reader of stored runs first."""
        handle_here = super().get_route_handler()
        operation = operation_id(self)

        async def handle(request: Request) -> Response:
            answer: Response | None = request.app.state.elsewhere(request, operation)
            return await handle_here(request) if answer is None else answer

        return handle


def answered_here(_request: Request, _operation: str) -> None:
    """Return None: this process answers every request itself."""
