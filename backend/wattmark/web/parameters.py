"""Refuse query parameters that a request does not have: a filter that is misspelled would otherwise filter nothing."""

from __future__ import annotations

from collections.abc import Iterator

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel

from wattmark.core.errors import InputError


def require_known_parameters(request: Request) -> None:
    """Check the names of all query parameters. Raises `InputError`."""
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute) or not route.include_in_schema:
        return
    known = dict.fromkeys(_names(route.dependant))
    for name in request.query_params:
        if name not in known:
            remedy = f"Parameters: {', '.join(known)}." if known else "Send it without parameters."
            raise InputError(f"This request has no parameter {name[:40]!r}.", remedy)


def _names(dependant: Dependant) -> Iterator[str]:
    for parameter in dependant.query_params:
        annotation = parameter.field_info.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from (field.alias or name for name, field in annotation.model_fields.items())
        else:
            yield parameter.alias
    for below in dependant.dependencies:
        yield from _names(below)
