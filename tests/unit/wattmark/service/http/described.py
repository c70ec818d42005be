"""What the API says of itself, made once for all tests of a process, and only where a test asks (2.5 s of CPU)."""

from __future__ import annotations

from functools import cache
from typing import Any

from wattmark.access.http.middleware import AccessPolicy
from wattmark.service.app import create_app


@cache
def description() -> dict[str, Any]:
    """The OpenAPI document of the application."""
    return create_app(None, AccessPolicy.for_address("127.0.0.1")).openapi()


@cache
def operations() -> dict[str, tuple[str, str]]:
    """Each operation's method and path."""
    return {
        operation["operationId"]: (method.upper(), path)
        for path, methods in description()["paths"].items()
        for method, operation in methods.items()
    }
