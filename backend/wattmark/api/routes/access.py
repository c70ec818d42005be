"""Sign in and out, tokens, and the audit log."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import APIRouter, Query, Request, Response

from wattmark.access.gate import Identity
from wattmark.access.views import AuditOut, NewToken, SessionOut, SignIn, TokenMade, TokenOut, entry_out, token_out
from wattmark.api.about import About
from wattmark.api.access import COOKIE, AccessPolicy, address_of, session_of
from wattmark.api.gate import GateDep
from wattmark.api.schemas import Problem

router = APIRouter(prefix="/api", tags=["access"])
PAGE = 200
LARGEST_NUMBER = 2**53


@router.get("/session")
async def session(request: Request) -> SessionOut:
    """Tell who asks, and whether this service asks for a sign-in. Open to everybody."""
    return _session_out(request, request.scope.get("identity"))


@router.post("/session", responses={429: {"model": Problem, "description": "Too many wrong tokens"}})
async def sign_in(order: SignIn, request: Request, response: Response, gate: GateDep) -> SessionOut:
    """Exchange a token for a session cookie that no script can read. Open to everybody."""
    identifier, token, begun = gate.sign_in(order.token, address_of(request.scope))
    lasts_s = gate.sessions.remaining_s(begun)
    who = Identity(token.name, token.role, lasts_s)
    request.state.signed_in = who
    # A proxy ends TLS, but the browser names the scheme of its page: the cookie of such a page is sent by TLS alone.
    by_tls = request.headers.get("origin", "").startswith("https://")
    response.set_cookie(
        COOKIE, identifier, max_age=int(lasts_s), httponly=True, samesite="strict", path="/", secure=by_tls
    )
    return _session_out(request, who)


@router.delete("/session", status_code=204)
async def sign_out(request: Request, response: Response, gate: GateDep) -> None:
    """End the session of the cookie. Open to everybody: an ended session may be ended again."""
    if (identifier := session_of(request.headers)) is not None:
        gate.sign_out(identifier)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")


@router.get("/tokens")
def tokens(gate: GateDep) -> list[TokenOut]:
    """List all tokens by name with role and last use, revoked ones too; secrets are kept by nobody."""
    return [token_out(token) for token in gate.tokens.all()]


@router.post("/tokens", status_code=201)
def create_token(order: NewToken, gate: GateDep, about: About) -> TokenMade:
    """Make a token. Its secret is in this answer and nowhere else."""
    about(f"{order.name} {order.role}")
    secret = gate.tokens.create(order.name, order.role)
    return TokenMade(token=token_out(gate.tokens.require(order.name)), secret=secret)


@router.delete("/tokens/{name}")
def revoke_token(name: str, gate: GateDep) -> TokenOut:
    """Revoke a token: its sessions and live streams end at once. The last administrator's stays."""
    return token_out(gate.revoke(name))


@router.get("/audit")
def audit(
    gate: GateDep,
    before: Annotated[int | None, Query(ge=1, le=LARGEST_NUMBER, description="Entries older than this one")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = PAGE,
) -> AuditOut:
    """List who did what, newest first."""
    found = gate.audit.before(before, limit + 1)
    return AuditOut(entries=[entry_out(entry) for entry in found[:limit]], more=len(found) > limit)


def _session_out(request: Request, who: Identity | None) -> SessionOut:
    policy = cast("AccessPolicy", request.app.state.policy)
    if who is None:
        return SessionOut(sign_in=policy.sign_in)
    return SessionOut(sign_in=policy.sign_in, name=who.name, role=who.role, lasts_s=who.lasts_s)
