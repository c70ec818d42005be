"""Answers that a browser may keep, and asks about again before it uses them."""

from __future__ import annotations

import hashlib

from fastapi import Request, Response
from pydantic import BaseModel

_KEPT = "private, no-cache"
"""Kept for who asked alone, and never used without asking: a session that ended gives nothing."""


def revalidated(request: Request, answer: BaseModel) -> Response:
    """Send an answer with its digest as entity tag; without its content to who has the very same already (304)."""
    content = answer.model_dump_json().encode()
    tag = f'"{hashlib.blake2b(content, digest_size=12).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": _KEPT}
    if tag in (one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type="application/json", headers=headers)
