"""Views of access in the API."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wattmark.access.audit import AuditEntry
from wattmark.access.roles import Role
from wattmark.access.token import Token
from wattmark.core.inputs import FILLED_LINE, Input
from wattmark.core.instants import iso
from wattmark.core.schema import Schema

LONGEST_SECRET = 200


class SignIn(Input):
    """Exchange a token for a session."""

    token: Annotated[str, Field(min_length=1, max_length=LONGEST_SECRET), FILLED_LINE]


class SessionOut(Schema):
    """The signed-in identity. `name` and `role` are None before sign-in."""

    sign_in: bool
    """Whether this service asks for a sign-in."""
    name: str | None = None
    role: Role | None = None
    lasts_s: float | None = None
    """How long the session lasts [s]; None: without end."""
    elsewhere: str | None = None
    """Address of the pages for other devices; None: they cannot reach this service, or nobody is signed in."""


class NewToken(Input):
    """Request for a token."""

    name: Annotated[str, Field(min_length=1, max_length=60), FILLED_LINE]
    role: Role


class TokenOut(Schema):
    """A token in the list; times in ISO 8601, UTC."""

    name: str
    role: Role
    created: str
    used: str | None
    """Last use, to the minute; None: never."""
    revoked: str | None


class TokenMade(Schema):
    """A new token; its secret is returned only this once."""

    token: TokenOut
    secret: str


class AuditEntryOut(Schema):
    """One entry of the audit log; the instant in ISO 8601, UTC."""

    number: int
    at: str
    who: str
    role: str
    address: str
    action: str
    target: str
    status: int
    """HTTP status of the answer; 0 for a command."""
    request_id: str
    hash: str


class AuditOut(Schema):
    """A part of the audit log, newest first. `more`: there are older entries."""

    entries: list[AuditEntryOut]
    more: bool


def token_out(token: Token) -> TokenOut:
    """Describe a token."""
    instants = [None if at_ns is None else iso(at_ns) for at_ns in (token.created_ns, token.used_ns, token.revoked_ns)]
    return TokenOut(name=token.name, role=token.role, created=instants[0] or "", used=instants[1], revoked=instants[2])


def entry_out(entry: AuditEntry) -> AuditEntryOut:
    """Describe an entry of the audit log."""
    act = entry.act
    return AuditEntryOut(
        number=entry.number,
        at=iso(act.at_ns),
        who=act.who,
        role=act.role,
        address=act.address,
        action=act.action,
        target=act.target,
        status=act.status,
        request_id=act.request_id,
        hash=entry.hash,
    )
