"""Answers that a browser may keep, and asks about again before it uses them."""

from __future__ import annotations

import hashlib

from fastapi import Request, Response

_KEPT = "private, no-cache"
"""Private cache, always revalidated: after the end of a session it serves nothing."""


def revalidated(request: Request, content: bytes) -> Response:
    """Send JSON with its digest as entity tag; 304 without content when If-None-Match matches."""
    tag = f'"{hashlib.blake2b(content, digest_size=12).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": _KEPT}
    if tag in (
        candidate.strip().removeprefix("W/") for candidate in request.headers.get("if-none-match", "").split(",")
    ):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type="application/json", headers=headers)
