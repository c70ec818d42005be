"""What the stores of tokens and of the audit log can do."""

from __future__ import annotations

from typing import Protocol

from wattmark.access.audit import Act, AuditEntry
from wattmark.access.token import Token


class TokenStore(Protocol):
    """Keep tokens durably. A name is never given twice, so that the audit log stays clear."""

    def add(self, token: Token) -> None:
        """Insert a token; durable when it returns. Raises `Conflict` when the name was ever taken."""
        ...

    def all(self) -> list[Token]:
        """Read all tokens by name, revoked ones too."""
        ...

    def used(self, name: str, at_ns: int) -> None:
        """Note the last use; returns at once, and a failure changes nothing but this note."""
        ...

    def revoke(self, name: str, at_ns: int) -> None:
        """Mark a token as revoked; durable when it returns."""
        ...


class AuditStore(Protocol):
    """Keep the audit log: entries are only ever added."""

    def add(self, act: Act) -> AuditEntry:
        """Append an act to the chain; durable when it returns."""
        ...

    def before(self, number: int | None, limit: int) -> list[AuditEntry]:
        """Read the newest entries with a smaller number (None: of all), newest first."""
        ...

    def after(self, number: int, limit: int) -> list[AuditEntry]:
        """Read the oldest entries with a larger number, oldest first."""
        ...
