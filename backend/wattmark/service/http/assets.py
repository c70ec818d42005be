"""How the files of the web app travel: compressed, and kept by the browser for as long as their names stand."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ASSETS = "/assets/"
"""Files whose names change with their content."""
KEPT = {"Cache-Control": "public, max-age=31536000, immutable"}
REVALIDATED = {"Cache-Control": "no-cache"}
"""Of the page itself: an old one would ask for scripts that an upgrade took away."""
_LEAST_BYTES = 1024


class WebAppFiles:
    """Send what lies outside the API compressed and with how long it may be kept; the API as it is.

    Answers of the API stay as they are: they are asked for on this machine or in the lab, where compressing them
    takes longer than sending them.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressed = GZipMiddleware(app, minimum_size=_LEAST_BYTES, compresslevel=6)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request for a file, or pass any other on."""
        if scope["type"] != "http" or scope["path"].startswith("/api"):
            await self._app(scope, receive, send)
            return

        async def send_with_age(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = scope["path"].startswith(ASSETS) and message["status"] in (200, 304)
                MutableHeaders(scope=message).update(KEPT if named else REVALIDATED)
            await send(message)

        await self._compressed(scope, receive, send_with_age)
