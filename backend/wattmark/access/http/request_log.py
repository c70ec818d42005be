"""A request's id, one log line per request, and an audit entry for each that changes something."""

from __future__ import annotations

import logging
import re
import secrets
import time
from urllib.parse import quote

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wattmark.access.gate import Gate, Identity
from wattmark.access.http.middleware import SAFE_METHODS, address_of
from wattmark.access.http.permissions import ONLY_LOOKS
from wattmark.core.errors import WattmarkError
from wattmark.core.request_id import HEADER, request_id, set_request_id
from wattmark.web.operation import operation_of

log = logging.getLogger("wattmark.request")
_GIVEN = re.compile(r"[A-Za-z0-9._-]{1,64}")
_QUIET = frozenset({"system_healthz", "system_live", "system_metrics"})
"""Asked for every few seconds by machines: they would drown the rest."""
_LONGEST = 200


class RequestIds:
    """Give every request an id (or keep the one that a proxy gave), and log how it was answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Log a request when its answer begins, without the query, which may hold secrets."""
        proposed = Headers(scope=scope).get(HEADER, "")
        set_request_id(proposed if _GIVEN.fullmatch(proposed) else secrets.token_hex(8))
        began = time.monotonic()

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = request_id()
                _log_request(scope, message["status"], time.monotonic() - began)
            await send(message)

        await self._app(scope, receive, send_with_id)


def _log_request(scope: Scope, status: int, seconds: float) -> None:
    if operation_of(Request(scope)) in _QUIET and status < 400:
        return
    identity = scope.get("identity")
    fields = {
        "method": scope["method"],
        "path": path_of(scope),
        "status": status,
        "ms": round(seconds * 1000, 1),
        "who": identity.name if identity else "",
        "address": address_of(scope),
    }
    level = logging.WARNING if status >= 500 else logging.INFO
    log.log(level, "%(method)s %(path)s %(status)s", fields, extra={"fields": fields})


def path_of(scope: Scope) -> str:
    """Return the path as one line of printable text."""
    return quote(scope["path"], safe="/:@+,;=~!$&'()*", errors="replace")[:_LONGEST]


class AuditTrail:
    """Write every state-changing request of an identified client to the audit log, before its answer is sent."""

    def __init__(self, app: ASGIApp, gate: Gate | None) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass requests on and record changes; requests without an identity are only in the service's log."""
        gate = self._gate
        if gate is None or scope["method"] in SAFE_METHODS or not scope["path"].startswith("/api"):
            await self._app(scope, receive, send)
            return

        async def send_when_written(message: Message) -> None:
            if message["type"] == "http.response.start":
                await _write(gate, Request(scope), message["status"])
            await send(message)

        await self._app(scope, receive, send_when_written)


async def _write(gate: Gate, request: Request, status: int) -> None:
    identity: Identity | None = getattr(request.state, "signed_in", None) or request.scope.get("identity")
    action = operation_of(request)
    if identity is None or action in ONLY_LOOKS or getattr(request.state, "only_looks", False):
        return
    noted = getattr(request.state, "target", "")
    target = f"{path_of(request.scope)} {noted}".strip()[: 2 * _LONGEST]
    act = action or request.method, target, status, request_id()
    try:
        await run_in_threadpool(gate.record, identity, address_of(request.scope), *act)
    except WattmarkError as error:
        log.error("The audit log could not record %s %s of %s (%s): %s", *act[:2], identity.name, status, error)
