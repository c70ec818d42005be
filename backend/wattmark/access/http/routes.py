"""Sign in and out, tokens, and the audit log."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import APIRouter, Query, Request, Response

from wattmark.access.gate import Gate, Identity
from wattmark.access.http.about import About
from wattmark.access.http.elsewhere import address_elsewhere
from wattmark.access.http.middleware import COOKIE, AccessPolicy, address_of, session_of
from wattmark.access.views import AuditOut, NewToken, SessionOut, SignIn, TokenMade, TokenOut, entry_out, token_out
from wattmark.web.problem import Problem
from wattmark.web.provided import provided

router = APIRouter(prefix="/api", tags=["access"])
GateDep = Annotated[Gate, provided(Gate)]
PAGE = 200
LARGEST_NUMBER = 2**53


@router.get("/session")
async def session(request: Request) -> SessionOut:
    """Return the signed-in identity, and whether this service needs a sign-in. Open to everyone."""
    return _session_out(request, request.scope.get("identity"))


@router.post("/session", responses={429: {"model": Problem, "description": "Too many wrong tokens"}})
async def sign_in(order: SignIn, request: Request, response: Response, gate: GateDep) -> SessionOut:
    """Exchange a token for a session cookie that no script can read. Open to everyone."""
    identifier, token, begun = gate.sign_in(order.token, address_of(request.scope))
    lasts_s = gate.sessions.remaining_s(begun)
    identity = Identity(token.name, token.role, lasts_s)
    request.state.signed_in = identity
    # A proxy ends TLS, but the browser names the scheme of its page: the cookie of such a page is sent by TLS alone.
    by_tls = request.headers.get("origin", "").startswith("https://")
    response.set_cookie(
        COOKIE, identifier, max_age=int(lasts_s), httponly=True, samesite="strict", path="/", secure=by_tls
    )
    return _session_out(request, identity)


@router.delete("/session", status_code=204)
async def sign_out(request: Request, response: Response, gate: GateDep) -> None:
    """Stop the session of the cookie. Open to everyone; safe to repeat."""
    if (identifier := session_of(request.headers)) is not None:
        gate.sign_out(identifier)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")


@router.get("/tokens")
def tokens(gate: GateDep) -> list[TokenOut]:
    """List all tokens by name with role and last use, revoked ones too; secrets are not stored."""
    return [token_out(token) for token in gate.tokens.all()]


@router.post("/tokens", status_code=201)
def create_token(order: NewToken, gate: GateDep, about: About) -> TokenMade:
    """Create a token. Only this response contains its secret."""
    about(f"{order.name} {order.role}")
    secret = gate.tokens.create(order.name, order.role)
    return TokenMade(token=token_out(gate.tokens.require(order.name)), secret=secret)


@router.delete("/tokens/{name}")
def revoke_token(name: str, gate: GateDep) -> TokenOut:
    """Revoke a token: its sessions and live streams end at once. Refused for the last administrator's token."""
    return token_out(gate.revoke(name))


@router.get("/audit")
def audit(
    gate: GateDep,
    before: Annotated[int | None, Query(ge=1, le=LARGEST_NUMBER, description="Entries older than this one")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = PAGE,
) -> AuditOut:
    """List who did what, newest first."""
    entries = gate.audit.before(before, limit + 1)
    return AuditOut(entries=[entry_out(entry) for entry in entries[:limit]], more=len(entries) > limit)


def _session_out(request: Request, identity: Identity | None) -> SessionOut:
    policy = cast("AccessPolicy", request.app.state.policy)
    if identity is None:
        return SessionOut(sign_in=policy.sign_in)
    server = request.scope.get("server")
    return SessionOut(
        sign_in=policy.sign_in,
        name=identity.name,
        role=identity.role,
        lasts_s=identity.lasts_s,
        elsewhere=address_elsewhere(policy.listens_on, server[1]) if server and server[1] else None,
    )
