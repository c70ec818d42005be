"""The gate: identification of a client by its credentials."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from wattmark_drivers.clock import Clock

from wattmark.access.attempts import Attempts
from wattmark.access.audit import Act
from wattmark.access.roles import Role
from wattmark.access.sessions import Session, Sessions
from wattmark.access.store import AuditStore, TokenStore
from wattmark.access.token import Token, digest
from wattmark.access.tokens import Tokens
from wattmark.core.errors import WattmarkError

Owner = TypeVar("Owner")


class OpenStreams(Generic[Owner]):
    """Remember how to end each open stream."""

    def __init__(self) -> None:
        self._ends: list[tuple[Owner, Callable[[], None]]] = []

    @contextmanager
    def opened(self, owner: Owner, end: Callable[[], None]) -> Iterator[None]:
        """Register a stream while the block lasts; ``end`` may be called from any thread."""
        entry = (owner, end)
        self._ends.append(entry)
        try:
            yield
        finally:
            self._ends.remove(entry)

    def end_all(self, is_ended: Callable[[Owner], bool]) -> None:
        """Stop the streams whose owner fulfils a condition."""
        for owner, end in list(self._ends):
            if is_ended(owner):
                end()

    def __len__(self) -> int:
        return len(self._ends)


class NotSignedIn(WattmarkError):  # noqa: N818 - reads better at the raise site
    """Nothing valid was presented."""


class TooManyAttempts(WattmarkError):  # noqa: N818
    """An address presented too many wrong tokens; ``wait_s`` until the next try."""

    def __init__(self, wait_s: int) -> None:
        super().__init__("Too many wrong tokens came from this address.", f"Try again in {wait_s} s.")
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class Identity:
    """Who asks: the name of a token or "local", and the role.

    Of a session also how long it lasts [s] (None: without end) and the SHA-256 of its id.
    """

    name: str
    role: Role
    lasts_s: float | None = None
    session: str | None = None


LOCAL = Identity("local", Role.ADMIN)
"""Who may do everything because the service answers this machine alone and asks for no sign-in."""


class Gate:
    """Recognise tokens and sessions. All methods but `revoke` and `create` belong to the event loop's thread."""

    def __init__(
        self,
        tokens: TokenStore,
        audit: AuditStore,
        clock: Clock,
        *,
        session_s: float = 12 * 3600.0,
        random_text: Callable[[int], str] = secrets.token_urlsafe,
    ) -> None:
        self.tokens = Tokens(tokens, clock, random_text)
        self.sessions = Sessions(clock, session_s, random_text)
        self.streams: OpenStreams[Identity] = OpenStreams()
        self.audit = audit
        self._attempts = Attempts(clock)
        self._clock = clock

    def of_token(self, secret: str, address: str) -> Token:
        """Find the token of a secret. Raises `NotSignedIn`, and `TooManyAttempts` for an address that guesses.

        A valid token is still accepted: it cannot be guessed, and clients behind a shared address (a proxy, this
        machine) must not be locked out by the guesses of others.
        """
        token = self.tokens.recognise(secret)
        wait_s = self._attempts.wait_s(address)
        if wait_s and (token is None or not self.tokens.kept(token)):
            raise TooManyAttempts(wait_s)
        if token is None:
            self._attempts.failed(address)
            raise NotSignedIn(
                "This token is not valid.", "Ask an administrator for a new one; this one may have been revoked."
            )
        return token

    def of_session(self, identifier: str) -> Identity:
        """Find the identity of a session. Raises `NotSignedIn`."""
        session = self.sessions.find(identifier)
        token = self.tokens.named(session.token) if session else None
        if session is None or token is None:
            raise NotSignedIn("The session has ended.", "Sign in again with your token.")
        return Identity(token.name, token.role, self.sessions.remaining_s(session), digest(identifier))

    def sign_in(self, secret: str, address: str) -> tuple[str, Token, Session]:
        """Create a session for a token's secret; return session id, token and session. Raises as `of_token`."""
        token = self.of_token(secret, address)
        identifier, session = self.sessions.begin(token.name)
        return identifier, token, session

    def sign_out(self, identifier: str) -> None:
        """Stop a session and its open streams; one that has already ended is not an error."""
        self.sessions.end(identifier)
        ended = digest(identifier)
        self.streams.end_all(lambda owner: owner.session == ended)

    def revoke(self, name: str) -> Token:
        """Revoke a token: its sessions and open streams end now. Raises `NotFound`, `Conflict`."""
        token = self.tokens.revoke(name)
        self.sessions.end_all_of(name)
        self.streams.end_all(lambda owner: owner.name == name)
        return token

    def record(self, identity: Identity, address: str, action: str, target: str, status: int, request_id: str) -> None:
        """Write an act to the audit log; durable when it returns. Raises `StoreError`."""
        act = Act(self._clock.utc_ns(), identity.name, identity.role, address, action, target, status, request_id)
        self.audit.add(act)
