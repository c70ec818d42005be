"""The name of a request's operation: one for each route."""

from __future__ import annotations

from fastapi import Request
from fastapi.routing import APIRoute


def operation_id(route: APIRoute) -> str:
    """Return the name of a route in the OpenAPI description, the table above and the audit log."""
    return f"{route.tags[0]}_{route.name}" if route.tags else route.name


def operation_of(request: Request) -> str:
    """Return the operation that a request has reached; empty where it reached none."""
    route = request.scope.get("route")
    return operation_id(route) if isinstance(route, APIRoute) else ""
