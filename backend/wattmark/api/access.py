"""Who may talk to the service: Host, Origin and token checks in front of every route.

The service starts processes, so a page from elsewhere must not be able to order anything: the Host header must name
this service (DNS rebinding), and a state-changing request must come from this service's own page or from a script
that sends no browser headers at all. On any address but loopback a token is asked for as well.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

COOKIE = "wattmark_token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """Names under which the service answers beside numeric addresses, and the token asked for (None: no token)."""

    hosts: frozenset[str]
    token: str | None = None

    @classmethod
    def for_address(cls, host: str, token: str | None, also: Iterable[str] = ()) -> AccessPolicy:
        """Build the policy of a listening address; `also` adds names that a lab's DNS gives the machine."""
        return cls(frozenset(name.lower() for name in {"localhost", host, *also}), token)


def is_loopback(host: str) -> bool:
    """Tell whether an address is reachable from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class AccessMiddleware:
    """Refuse what the policy does not allow, before any route runs."""

    def __init__(self, app: ASGIApp, policy: AccessPolicy) -> None:
        self._app = app
        self._policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass allowed requests on; answer the others."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = self._refuse(scope) or self._log_in(scope)
        await (answer or self._app)(scope, receive, send)

    def _refuse(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._known_host(host):
            return _problem(
                421,
                f"This service does not answer to the name {host[:80]!r}.",
                "Open it by its address, or start it with --name for a further name.",
            )
        if scope["method"] not in SAFE_METHODS and (reason := _foreign(headers, host)):
            return _problem(403, reason, "Use the page that this service itself serves, or a script without Origin.")
        return None

    def _known_host(self, host: str) -> bool:
        name = _host_name(host)
        return name is not None and (name in self._policy.hosts or _is_address(name))

    def _log_in(self, scope: Scope) -> Response | None:
        token = self._policy.token
        if token is None or scope["path"] == "/api/health":
            return None
        if _same(_presented(Headers(scope=scope)), token):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if scope["method"] == "GET" and _same(query.get("token", [""])[0], token):
            return _with_cookie(RedirectResponse("/" + scope["path"].lstrip("/"), status_code=303), token)
        return _problem(
            401, "A token is needed.", "Open the address that `wattmark serve` printed, or send it as Bearer."
        )


def _is_address(name: str) -> bool:
    """Tell whether a Host is a number: rebinding needs a name, so numbers are always answered."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _host_name(netloc: str) -> str | None:
    try:
        return urlsplit(f"//{netloc}").hostname
    except ValueError:
        return None


def _foreign(headers: Mapping[str, str], host: str) -> str | None:
    origin = headers.get("origin")
    if origin is not None and origin.partition("://")[2].lower() != host.lower():
        return f"Requests from {origin[:80]!r} may not change anything here."
    if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return "Requests from another site may not change anything here."
    return None


def _presented(headers: Headers) -> str:
    scheme, _, credentials = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return credentials.strip()
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


def _same(presented: str, token: str) -> bool:
    return hmac.compare_digest(presented.encode(), token.encode())


def _with_cookie(response: Response, token: str) -> Response:
    response.set_cookie(COOKIE, token, httponly=True, samesite="strict", path="/")
    return response


def _problem(status: int, cause: str, remedy: str) -> Response:
    return JSONResponse({"cause": cause, "remedy": remedy, "detail": "", "field": None}, status_code=status)
