"""Limits of reading a request: bytes of the body, counted on arrival, and the time between them."""

from __future__ import annotations

import asyncio
import time

from fastapi import Request
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wattmark.access.http.permissions import LARGEST_BODY, SMALL_BODY
from wattmark.web.operation import operation_of

PAUSE_S = 15.0
"""Longest wait for the next part of a body."""
SPARE_S = 60.0
SLOWEST = 64 * 1024
"""Least average rate of a body after `SPARE_S` [bytes/s]."""


class RefusedBody(HTTPException):
    """A body that is too large or too slow, with what to do."""

    def __init__(self, status: int, cause: str, remedy: str) -> None:
        super().__init__(status, cause, {"Connection": "close"})
        self.remedy = remedy


class BodyLimits:
    """Enforce the route's body limit once the route starts reading."""

    def __init__(self, app: ASGIApp, pause_s: float = PAUSE_S, spare_s: float = SPARE_S) -> None:
        self._app = app
        self._pause_s = pause_s
        self._spare_s = spare_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the bytes that the route reads; a body that no route reads is not received."""
        taken, done, began = 0, False, time.monotonic()

        async def limited() -> Message:
            nonlocal taken, done
            if done:
                return await receive()
            limit = _limit(scope)
            if _declared(scope) > limit:
                raise _too_large(limit)
            left_s = self._spare_s + taken / SLOWEST - (time.monotonic() - began)
            try:
                async with asyncio.timeout(max(0.0, min(self._pause_s, left_s))):
                    message = await receive()
            except TimeoutError:
                raise RefusedBody(
                    408, "The request did not arrive in time.", "Send the request again over a faster connection."
                ) from None
            taken += len(message.get("body", b""))
            done = message["type"] != "http.request" or not message.get("more_body", False)
            if taken > limit:
                raise _too_large(limit)
            return message

        await self._app(scope, limited, send)


def _limit(scope: Scope) -> int:
    return LARGEST_BODY.get(operation_of(Request(scope)), SMALL_BODY)


def _declared(scope: Scope) -> int:
    text = Headers(scope=scope).get("content-length", "0")
    return int(text) if text.isascii() and text.isdigit() else 0


def _too_large(limit: int) -> RefusedBody:
    return RefusedBody(413, f"The request is larger than {limit // 1024} KiB.", "Send less data at once.")
