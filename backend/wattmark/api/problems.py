"""Every error leaves the API as a `Problem`: a cause and a remedy in words, never a traceback."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from wattmark_drivers.errors import DriverError

from wattmark.api.schemas import Problem
from wattmark.errors import Conflict, InputError, NotFound, WattmarkError

log = logging.getLogger(__name__)


def install(app: FastAPI) -> None:
    """Register the handlers on an application."""
    app.add_exception_handler(WattmarkError, _known)
    app.add_exception_handler(DriverError, _driver)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unexpected)


def _answer(status: int, cause: str, remedy: str = "", detail: str = "", field: str | None = None) -> JSONResponse:
    problem = Problem(cause=cause, remedy=remedy, detail=detail, field=field)
    return JSONResponse(problem.model_dump(), status_code=status)


async def _known(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, WattmarkError)  # noqa: S101 - registered for this class
    status = 404 if isinstance(error, NotFound) else 409 if isinstance(error, Conflict) else 503
    if isinstance(error, InputError) and not isinstance(error, NotFound):
        status = 422
    return _answer(status, error.cause, error.remedy)


async def _driver(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, DriverError)  # noqa: S101 - registered for this class
    return _answer(502, error.cause, error.remedy)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    return _answer(422, f"{where}: {first['msg']}", "See /api/docs for what this request takes.", field=where)


async def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class
    return _answer(error.status_code, str(error.detail))


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    log.exception("%s %s failed", request.method, request.url.path, exc_info=error)
    return _answer(
        500,
        "The service made an error while answering.",
        "Its log says more; please report it.",
        detail=f"{type(error).__name__}",
    )
