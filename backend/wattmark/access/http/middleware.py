"""Admission to the service by Host, Origin and identity, before every route.

The service starts processes, so another site's page must not be able to trigger anything: the Host header must name
this service (DNS rebinding), and a state-changing request must come from this service's own page or from a script
that sends no browser headers at all. Where sign-in is required, a token comes as Bearer, or a session as a cookie.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

import anyio
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wattmark.access.gate import LOCAL, Gate, Identity, NotSignedIn, TooManyAttempts
from wattmark.core.loopback import is_loopback
from wattmark.web.problem import problem

COOKIE = "wattmark_session"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
GUARDED = ("/api", "/metrics")
"""Everything else is the web app, which shows the sign-in page and contains no data of the lab, or a health check."""
OPEN = frozenset({"/api/session"})
_HOST_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]%")
"""Of a Host header: names, numbers, a port; nothing that would make a URL of it."""


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """Names under which the service answers beside numeric addresses, and whether it asks for a sign-in."""

    hosts: frozenset[str]
    sign_in: bool = False
    listens_on: str = "127.0.0.1"

    @classmethod
    def for_address(cls, host: str, sign_in: bool | None = None, also: Iterable[str] = ()) -> AccessPolicy:
        """Build the policy of a listening address; `also` adds names from the lab's DNS.

        Off loopback a sign-in is always required; on it only with `sign_in`.
        """
        names = frozenset(name.lower() for name in {"localhost", host, *also})
        return cls(names, bool(sign_in) or not is_loopback(host), host)


class AccessMiddleware:
    """Refuse requests that the policy does not allow, before any route runs; attach the identity to the others."""

    def __init__(self, app: ASGIApp, policy: AccessPolicy, gate: Gate | None) -> None:
        self._app = app
        self._policy = policy
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass allowed requests on; answer the others with a refusal."""
        if scope["type"] != "http":
            return
        answer = self._refuse(scope) or self._identify(scope)
        if answer is not None:
            await answer(scope, receive, send)
        elif self._gate is None or scope["identity"] in (None, LOCAL):
            await self._app(scope, receive, send)
        else:
            await self._while_valid(self._gate, scope, receive, send)

    def _refuse(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._known_host(host):
            return problem(
                421,
                f"The host name {host[:80]!r} is not allowed.",
                "Open the service by its address, or start it with --name NAME to allow this name.",
            )
        if "transfer-encoding" in headers and "content-length" in headers:
            closing = {"Connection": "close"}
            return problem(
                400, "The request states its length twice.", "Send it without Content-Length.", headers=closing
            )
        reason = _spying(headers, scope["path"]) if scope["method"] in SAFE_METHODS else _foreign(headers, host)
        if reason is not None:
            return problem(403, reason, "Use the pages of this service, or a client that sends no Origin header.")
        return None

    def _known_host(self, host: str) -> bool:
        name = _host_name(host)
        return name is not None and (name in self._policy.hosts or _is_address(name))

    def _identify(self, scope: Scope) -> Response | None:
        """Add the identity to the scope (None on open paths without sign-in); return a refusal where one is needed."""
        headers = Headers(scope=scope)
        scope["identity"] = None if self._policy.sign_in else LOCAL
        if not scope["path"].startswith(GUARDED):
            return None
        try:
            scope["identity"] = self._presented(headers, address_of(scope)) or scope["identity"]
        except TooManyAttempts as error:
            return too_many(error)
        except NotSignedIn as error:
            return None if scope["path"] in OPEN else _unknown(error)
        if scope["identity"] is None and scope["path"] not in OPEN:
            return _unknown(
                NotSignedIn(
                    "This request needs a token.",
                    "Sign in at /login, or send a token in the header `Authorization: Bearer TOKEN`.",
                )
            )
        return None

    def _presented(self, headers: Headers, address: str) -> Identity | None:
        if self._gate is None:
            return None
        if (secret := _bearer(headers)) is not None:
            token = self._gate.of_token(secret, address)
            return Identity(token.name, token.role)
        if self._policy.sign_in and (session := session_of(headers)) is not None:
            return self._gate.of_session(session)
        return None

    async def _while_valid(self, gate: Gate, scope: Scope, receive: Receive, send: Send) -> None:
        """Run a request; a stream ends when its token is revoked or its session is over."""
        identity: Identity = scope["identity"]
        loop = asyncio.get_running_loop()
        with anyio.CancelScope() as limit:

            async def send_and_watch(message: Message) -> None:
                if message["type"] == "http.response.start" and _is_stream(message):
                    streaming.append(True)
                    if identity.lasts_s is not None:
                        limit.deadline = anyio.current_time() + identity.lasts_s
                await send(message)

            def end() -> None:
                loop.call_soon_threadsafe(lambda: limit.cancel() if streaming else None)

            streaming: list[bool] = []
            with gate.streams.opened(identity, end):
                await self._app(scope, receive, send_and_watch)
        if limit.cancelled_caught:
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def address_of(scope: Scope) -> str:
    """Read the address of the peer; empty where there is none."""
    return scope["client"][0] if scope.get("client") else ""


def session_of(headers: Mapping[str, str]) -> str | None:
    """Read the id of the session from the cookie; None where there is none."""
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return morsel.value if morsel else None


def too_many(error: TooManyAttempts) -> Response:
    """Build the answer to an address that sent too many wrong tokens."""
    return problem(429, error.cause, error.remedy, headers={"Retry-After": str(error.wait_s)})


def _unknown(error: NotSignedIn) -> Response:
    return problem(401, error.cause, error.remedy, headers={"WWW-Authenticate": 'Bearer realm="wattmark"'})


def _is_stream(message: Message) -> bool:
    return Headers(raw=message["headers"]).get("content-type", "").startswith("text/event-stream")


def _is_address(name: str) -> bool:
    """Return whether a Host is an IP address: DNS rebinding needs a name, so addresses are always accepted."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _host_name(netloc: str) -> str | None:
    if not _HOST_SIGNS.issuperset(netloc):
        return None
    try:
        return urlsplit(f"//{netloc}").hostname
    except ValueError:
        return None


def _foreign(headers: Mapping[str, str], host: str) -> str | None:
    origin = headers.get("origin")
    if origin is not None and origin.partition("://")[2].lower() != host.lower():
        return f"Requests from {origin[:80]!r} must not change anything on this service."
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return "Requests from another site must not change anything on this service."
    return None


def _spying(headers: Mapping[str, str], path: str) -> str | None:
    """Explain why another site's page may not read here: it may only link to a page; None where it may.

    It could not read the answer, but could keep the service busy and infer content from the time taken.
    """
    elsewhere = headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}
    if path.startswith(GUARDED) and elsewhere and headers.get("sec-fetch-mode") != "navigate":
        return "Pages of other sites must not load anything from this service."
    return None


def _bearer(headers: Headers) -> str | None:
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    return credentials.strip() if scheme.lower() == "bearer" else None
