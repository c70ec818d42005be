"""Headers of every response: no foreign scripts, no framing, no sniffing, no referrer."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

STYLE_OF_SELECT = "sha256-60LHlRjW/B3CtzIoE/Lf1/NEDvko9efWMFaGVhHu/cs="
"""The one style that a library of the web app puts into its pages by itself: reka-ui 2, SelectViewport."""
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        f"style-src 'self' '{STYLE_OF_SELECT}'",
        "img-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(
        f"{name}=()"
        for name in ("accelerometer", "camera", "geolocation", "gyroscope", "microphone", "payment", "serial", "usb")
    ),
}
NOT_STORED = {"Cache-Control": "no-store"}
"""Default for responses of the API: they belong to the requester, not to a cache."""


class SecurityHeadersMiddleware:
    """Add the headers to every HTTP answer, refusals and errors included."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to the first message of every answer."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                if scope["path"].startswith("/api") and "cache-control" not in headers:
                    headers.update(NOT_STORED)
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)
