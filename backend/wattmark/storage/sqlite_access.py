"""Tokens and the audit log in the SQLite file; triggers keep the log as it was written."""

from __future__ import annotations

from dataclasses import astuple, fields
from typing import Any

import apsw

from wattmark.access.audit import FIRST_HASH, Act, AuditEntry, chain_hash
from wattmark.access.roles import Role
from wattmark.access.token import Token
from wattmark.errors import Conflict
from wattmark.storage.database import Database
from wattmark.storage.guarded import Readable
from wattmark.storage.guarded_tables import TOKEN
from wattmark.storage.query import query

_ACT = ", ".join(field.name for field in fields(Act))


def read_token(row: tuple[Any, ...]) -> Token:
    """Read a row. Raises `ValueError` for one that is no token."""
    name, role, *rest = row
    return Token(name, Role(role), *rest)


class SqliteTokenStore:
    """Keep tokens; every change but the last use is on disk when the call returns."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._readable = Readable(database.path)

    def add(self, token: Token) -> None:
        """Insert a token; durable when it returns. Raises `Conflict` when the name was ever taken."""

        def insert(connection: apsw.Connection) -> None:
            if query(connection, "SELECT 1 FROM access_token WHERE name = ?", token.name):
                raise Conflict(
                    f"The name {token.name} is taken, by a token in force or a revoked one.", "Choose another."
                )
            query(connection, "INSERT INTO access_token VALUES (?, ?, ?, ?, ?, ?)", *astuple(token))

        self._database.write(insert)

    def all(self) -> list[Token]:
        """Read all tokens by name, revoked ones too; a damaged one opens nothing and is left out."""
        with self._database.snapshot() as connection:
            rows = TOKEN.rows(connection)
        return self._readable.read(rows, read_token)

    def used(self, name: str, at_ns: int) -> None:
        """Note the last use; returns at once, and a failure changes nothing but this note."""
        sql = "UPDATE access_token SET used_ns = ? WHERE name = ?"
        self._database.submit(lambda connection: query(connection, sql, at_ns, name))

    def revoke(self, name: str, at_ns: int) -> None:
        """Mark a token as revoked; durable when it returns."""
        sql = "UPDATE access_token SET revoked_ns = ? WHERE name = ? AND revoked_ns IS NULL"
        self._database.write(lambda connection: query(connection, sql, at_ns, name))


class SqliteAuditStore:
    """Keep the audit log; the writer alone makes the chain, so that no two entries follow the same one."""

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
        return [AuditEntry(at, Act(*act), before, hashed) for at, before, hashed, *act in rows]
