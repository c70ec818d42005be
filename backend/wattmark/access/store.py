"""Tokens and the audit log in the SQLite file; triggers keep the log as it was written."""

from __future__ import annotations

from dataclasses import astuple, fields
from typing import Any

import apsw

from wattmark.access.audit import FIRST_HASH, Act, AuditEntry, chain_hash
from wattmark.access.roles import Role
from wattmark.access.token import Token
from wattmark.core.errors import Conflict
from wattmark.store.database import Database
from wattmark.store.guards.guarded import GuardedTable, Readable
from wattmark.store.query import query
from wattmark.store.table import StoredTable

_ACT = ", ".join(field.name for field in fields(Act))


def read_token(row: tuple[Any, ...]) -> Token:
    """Read a token from a row. Raises `ValueError` for an invalid one."""
    name, role, *rest = row
    return Token(name, Role(role), *rest)


TOKEN = GuardedTable(
    name="access_token",
    row_name="Token {0}",
    key=("name",),
    columns={
        "name": "TEXT",
        "role": "TEXT NOT NULL",
        "digest": "TEXT NOT NULL UNIQUE",
        "created_ns": "INTEGER NOT NULL",
        "used_ns": "INTEGER",
        "revoked_ns": "INTEGER",
    },
    reader=read_token,
    never_deleted="tokens are revoked, never deleted",
)
AUDIT = StoredTable(
    name="audit",
    key=("number",),
    columns={
        "number": "INTEGER",
        "at_ns": "INTEGER NOT NULL",
        "who": "TEXT NOT NULL",
        "role": "TEXT NOT NULL",
        "address": "TEXT NOT NULL",
        "action": "TEXT NOT NULL",
        "target": "TEXT NOT NULL",
        "status": "INTEGER NOT NULL",
        "request_id": "TEXT NOT NULL",
        "before": "TEXT NOT NULL",
        "hash": "TEXT NOT NULL UNIQUE",
    },
    rowid=True,
    never_updated="the audit log never changes",
    never_deleted="the audit log is kept",
)
"""Needs no checksums: each entry holds a hash of itself and of the one before."""
TABLES = TOKEN, AUDIT


class TokenStore:
    """Keep tokens; every change but the last use is on disk when the call returns.

    A name is never given twice, so that the audit log stays clear.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._readable = Readable(database.path)

    def add(self, token: Token) -> None:
        """Insert a token; durable when it returns. Raises `Conflict` when the name was ever taken."""

        def insert(connection: apsw.Connection) -> None:
            if query(connection, "SELECT 1 FROM access_token WHERE name = ?", token.name):
                raise Conflict(
                    f"The name {token.name} is already used by a valid or revoked token.", "Choose another name."
                )
            query(connection, "INSERT INTO access_token VALUES (?, ?, ?, ?, ?, ?)", *astuple(token))

        self._database.write(insert)

    def all(self) -> list[Token]:
        """Read all tokens by name, revoked ones too; a damaged one is excluded and gives no access."""
        with self._database.snapshot() as connection:
            rows = TOKEN.rows(connection)
        return self._readable.read(rows, read_token)

    def used(self, name: str, at_ns: int) -> None:
        """Record the last use; returns at once, and a failed write loses only this record."""
        sql = "UPDATE access_token SET used_ns = ? WHERE name = ?"
        self._database.submit(lambda connection: query(connection, sql, at_ns, name))

    def revoke(self, name: str, at_ns: int) -> None:
        """Mark a token as revoked; durable when it returns."""
        sql = "UPDATE access_token SET revoked_ns = ? WHERE name = ? AND revoked_ns IS NULL"
        self._database.write(lambda connection: query(connection, sql, at_ns, name))


class AuditStore:
    """Keep the audit log: entries are only ever added.

    The writer alone makes the chain, so that no two entries follow the same one.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, act: Act) -> AuditEntry:
        """Append an act to the chain; durable when it returns."""

        def insert(connection: apsw.Connection) -> AuditEntry:
            last = query(connection, "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")
            number, before = (last[0][0] + 1, last[0][1]) if last else (1, FIRST_HASH)
            entry = AuditEntry(number, act, before, chain_hash(number, act, before))
            marks = ", ".join("?" * (len(fields(Act)) + 3))
            query(
                connection,
                f"INSERT INTO audit(number, {_ACT}, before, hash) VALUES ({marks})",  # noqa: S608
                *(number, *astuple(act), before, entry.hash),
            )
            return entry

        return self._database.write(insert)

    def before(self, number: int | None, limit: int) -> list[AuditEntry]:
        """Read the newest entries with a smaller number (None: of all), newest first."""
        return self._entries("number < ? ORDER BY number DESC", 2**62 if number is None else number, limit)

    def after(self, number: int, limit: int) -> list[AuditEntry]:
        """Read the oldest entries with a larger number, oldest first."""
        return self._entries("number > ? ORDER BY number", number, limit)

    def _entries(self, which: str, number: int, limit: int) -> list[AuditEntry]:
        sql = f"SELECT number, before, hash, {_ACT} FROM audit WHERE {which} LIMIT ?"  # noqa: S608
        with self._database.snapshot() as connection:
            rows = query(connection, sql, number, limit)
        return [AuditEntry(entry_number, Act(*act), before, hashed) for entry_number, before, hashed, *act in rows]
