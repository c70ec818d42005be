"""Refuse query parameters that a request does not have, or has once: a filter that is misspelled, or comes before one
of the same name, would otherwise filter nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args, get_origin

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel

from wattmark.core.errors import InputError
from wattmark.web.operation import operation_id

_WITHOUT_QUERY = frozenset({"system_healthz", "system_metrics"})
"""Operations that compute nothing from a query; monitors append parameters of their own."""


def require_known_parameters(request: Request) -> None:
    """Check the names of all query parameters, and how often each stands. Raises `InputError`."""
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute) or not route.include_in_schema:
        return
    if operation_id(route) in _WITHOUT_QUERY:
        return
    known = dict(_parameters(route.dependant))
    for name in request.query_params:
        if name not in known:
            remedy = f"Parameters: {', '.join(known)}." if known else "Send it without parameters."
            raise InputError(f"This request has no parameter {name[:40]!r}.", remedy)
        if not known[name] and len(request.query_params.getlist(name)) > 1:
            raise InputError(f"This request takes one {name}, and it has several.", f"Send {name} once.")


def _parameters(dependant: Dependant) -> Iterator[tuple[str, bool]]:
    """Yield each parameter with whether it may be repeated."""
    for parameter in dependant.query_params:
        annotation = parameter.field_info.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            fields = annotation.model_fields.items()
            yield from ((field.alias or name, _is_repeatable(field.annotation)) for name, field in fields)
        else:
            yield parameter.alias, _is_repeatable(annotation)
    for below in dependant.dependencies:
        yield from _parameters(below)


def _is_repeatable(annotation: object) -> bool:
    return any(get_origin(part) in (list, tuple) for part in (annotation, *get_args(annotation)))
