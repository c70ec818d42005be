"""The tokens of a service: made, recognised, revoked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from wattmark_drivers.clock import Clock

from wattmark.access.roles import Role
from wattmark.access.store import TokenStore
from wattmark.access.token import Token, digest, new_secret
from wattmark.core.errors import Conflict, InputError, NotFound

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,59}")
RESERVED = frozenset({"local", "given"})
"""Names that the audit log uses for others."""
LEAST_GIVEN = 16
"""Characters of a secret that others made."""
_NOTE_USE_NS = 60 * 10**9


class Tokens:
    """Keep the tokens in memory beside the store; a revoked one is unknown from that moment on."""

    def __init__(self, store: TokenStore, clock: Clock, random_text: Callable[[int], str]) -> None:
        self._store = store
        self._clock = clock
        self._random_text = random_text
        self._known = {token.digest: token for token in store.all()}
        self._given: Token | None = None

    def all(self) -> list[Token]:
        """List all tokens by name, revoked ones too."""
        return sorted(self._known.values(), key=lambda token: token.name)

    def valid(self) -> list[Token]:
        """List the tokens that are not revoked."""
        return [token for token in self.all() if token.revoked_ns is None]

    def create(self, name: str, role: Role) -> str:
        """Create a token and return its secret, which is not stored. Raises `InputError`, `Conflict`."""
        if not NAME.fullmatch(name) or name in RESERVED:
            raise InputError(
                f"{name[:80]!r} is not a valid token name.",
                "Use 1 to 60 letters, digits, dots, dashes, underscores or @; 'local' and 'given' are reserved.",
            )
        secret = new_secret(self._random_text)
        token = Token(name, role, digest(secret), self._clock.utc_ns())
        self._store.add(token)
        self._known[token.digest] = token
        return secret

    def accept(self, name: str, role: Role, secret: str) -> None:
        """Add a token with a secret from outside until the service ends; it is not stored. Raises `InputError`."""
        if len(secret) < LEAST_GIVEN:
            raise InputError(
                f"The token has fewer than {LEAST_GIVEN} characters.", "Create one with: openssl rand -hex 24."
            )
        self._given = Token(name, role, digest(secret), self._clock.utc_ns())

    def revoke(self, name: str) -> Token:
        """Revoke a token from now on. Raises `NotFound`, and `Conflict` for the last administrator."""
        token = self.require(name)
        if token.role is Role.ADMIN and sum(other.role is Role.ADMIN for other in self.valid()) == 1:
            raise Conflict(f"{name} is the last administrator token.", "Create another administrator token first.")
        at_ns = self._clock.utc_ns()
        self._store.revoke(name, at_ns)
        revoked = replace(token, revoked_ns=at_ns)
        self._known[token.digest] = revoked
        return revoked

    def require(self, name: str) -> Token:
        """Find a valid, stored token. Raises `NotFound`."""
        for token in self.valid():
            if token.name == name:
                return token
        raise NotFound(f"There is no valid token named {name[:80]!r}.", "List the tokens with `wattmark token list`.")

    def recognise(self, secret: str) -> Token | None:
        """Find the valid token of a secret and record its use (to the minute); None where there is none."""
        token = self._known.get(hashed := digest(secret))
        if self._given is not None and self._given.digest == hashed:
            return self._given
        if token is None or token.revoked_ns is not None:
            return None
        now_ns = self._clock.utc_ns()
        if token.used_ns is None or abs(now_ns - token.used_ns) >= _NOTE_USE_NS:
            self._known[token.digest] = token = replace(token, used_ns=now_ns)
            self._store.used(token.name, now_ns)
        return token

    def kept(self, token: Token) -> bool:
        """Return whether a token was created here and stored; a secret from outside may be weak."""
        return token.digest in self._known

    def named(self, name: str) -> Token | None:
        """Find a valid token by its name, stored or not; None where there is none."""
        if self._given is not None and self._given.name == name:
            return self._given
        return next((token for token in self.valid() if token.name == name), None)
