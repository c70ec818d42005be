"""Mistakes of a change leave the API field by field."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from wattmark.bench.editing.edit_problem import EditProblem
from wattmark.bench.editing.errors import EditRefused


def install(app: FastAPI) -> None:
    """Register the handler on an application."""
    app.add_exception_handler(EditRefused, _refused)


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, EditRefused)  # noqa: S101 - registered for this class
    problem = EditProblem(cause=error.cause, remedy=error.remedy, mistakes=error.mistakes)
    return JSONResponse(problem.model_dump(), status_code=422)
