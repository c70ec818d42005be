"""Every error leaves the API as a `Problem`: a cause and a remedy in words, never a traceback."""

from __future__ import annotations

import logging
from typing import Any

from anyio import BrokenResourceError
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from wattmark_drivers.errors import ConfigurationError, DriverError

from wattmark.access.gate import NotSignedIn, TooManyAttempts
from wattmark.core.errors import Conflict, Forbidden, InputError, NotFound, UnknownSource, WattmarkError
from wattmark.core.place import without_place
from wattmark.core.request_id import request_id
from wattmark.web.problem import problem

log = logging.getLogger(__name__)
STATUS: tuple[tuple[type[WattmarkError], int], ...] = (
    (NotFound, 404),
    (UnknownSource, 415),
    (InputError, 422),
    (Conflict, 409),
    (NotSignedIn, 401),
    (Forbidden, 403),
    (TooManyAttempts, 429),
)
UNAVAILABLE = 503
WORDS = {
    400: ("The body of the request cannot be read.", "Send JSON as described in /api/docs, without deep nesting."),
    404: ("There is nothing at this address.", "Open / for the web app, or /api/docs for the API."),
    405: ("This address does not accept this method.", "See /api/docs for the methods it accepts."),
}
"""What the framework itself refuses: cause and remedy by status."""


def install(app: FastAPI) -> None:
    """Register the handlers on an application."""
    app.add_exception_handler(WattmarkError, _known)
    app.add_exception_handler(DriverError, _driver)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


def named_inside(app: Any, text: str) -> str:
    """Name files of the data folder relative to it, so that HTTP does not disclose its location."""
    return without_place(text, app.state.spool.folder, "the data folder") if app.state.spool else text


class UnexpectedErrors:
    """Answer a defect with a `Problem`, inside the middleware that adds headers and writes logs."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass requests on; a defect after the answer has begun ends the connection."""
        begun = False

        async def send_on(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, send_on)
        except Exception as error:
            if begun and _is_departure(error):
                return
            log.exception("%s %s failed.", scope["method"], scope["path"])
            if begun:
                raise
            await _unexpected()(scope, receive, send)


def _is_departure(error: Exception) -> bool:
    """Return whether a stream ended because its client left: FastAPI lets that out where the client was behind."""
    if isinstance(error, ExceptionGroup):
        return all(map(_is_departure, error.exceptions))
    return isinstance(error, BrokenResourceError)


def _unexpected() -> JSONResponse:
    return problem(
        500,
        "The service failed while answering.",
        "See its log for details, and please report it.",
        detail=f"Request {request_id()}",
    )


async def _known(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, WattmarkError)  # noqa: S101 - registered for this class
    status = next((status for kind, status in STATUS if isinstance(error, kind)), UNAVAILABLE)
    wait_s = getattr(error, "wait_s", None)
    cause, remedy = (named_inside(request.app, text) for text in (error.cause, error.remedy))
    return problem(status, cause, remedy, headers=wait_s and {"Retry-After": str(wait_s)})


async def _driver(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, DriverError)  # noqa: S101 - registered for this class
    cause, remedy = (named_inside(request.app, text) for text in (error.cause, error.remedy))
    return problem(422 if isinstance(error, ConfigurationError) else 502, cause, remedy)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    return problem(422, f"{where}: {first['msg']}", "See /api/docs for the parameters of this request.", field=where)


async def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class
    cause, remedy = WORDS.get(error.status_code, (str(error.detail), getattr(error, "remedy", "")))
    return problem(error.status_code, cause, remedy, headers=error.headers)
