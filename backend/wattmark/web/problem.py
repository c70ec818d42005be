"""The one shape in which an error leaves the API."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi.responses import JSONResponse

from wattmark.core.schema import Schema


class Problem(Schema):
    """An error in words: what happened, what to do, and the technical detail for the folded line."""

    cause: str
    remedy: str = ""
    detail: str = ""
    field: str | None = None


def problem(
    status: int,
    cause: str,
    remedy: str = "",
    detail: str = "",
    field: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Build an answer that is a `Problem`."""
    content = Problem(cause=cause, remedy=remedy, detail=detail, field=field)
    return JSONResponse(content.model_dump(), status_code=status, headers=headers)
