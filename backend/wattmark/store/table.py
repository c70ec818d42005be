"""Declaration of a table by a subject: columns, key, and the protection of its rows from changes. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class StoredTable:
    """A table as the engine creates it. All are STRICT; those without ``rowid`` are clustered by their key."""

    name: str
    columns: Mapping[str, str]
    """Type and constraints of each column, in their order; those of the key come first."""
    key: tuple[str, ...]
    constraints: tuple[str, ...] = ()
    """Constraints over several columns, besides the key."""
    rowid: bool = False
    never_updated: str = ""
    """Error of a statement that would change a row; empty where rows may change."""
    never_deleted: str = ""
    """Error of a statement that would delete a row; empty where rows may be deleted."""
    also: str = ""
    """Indexes and triggers beyond these. They may name tables of others: all tables exist before any of it is run."""

    def create(self) -> str:
        """Return the statement that creates the table."""
        columns = [f"{name} {declared}" for name, declared in self.columns.items()]
        body = ", ".join([*columns, f"PRIMARY KEY({', '.join(self.key)})", *self.constraints])
        return f"CREATE TABLE {self.name}({body}) STRICT{'' if self.rowid else ', WITHOUT ROWID'};"

    def triggers(self) -> Iterator[str]:
        """Return the statements that create its indexes and triggers."""
        refusals = ("stays", "UPDATE", self.never_updated), ("kept", "DELETE", self.never_deleted)
        for ending, event, refusal in refusals:
            if refusal:
                refuse = f"BEGIN SELECT raise(ABORT, '{refusal}'); END;"
                yield f"CREATE TRIGGER {self.name}_{ending} BEFORE {event} ON {self.name} {refuse}"
        yield self.also
