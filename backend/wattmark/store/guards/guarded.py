"""Tables whose rows have a checksum, kept beside them by triggers: a row that is damaged or lost is named.

The triggers are made from the declaration of a table, like the table itself. They compute the checksum by a function
of the writer's connection (`teach`): other programs cannot change these tables.
"""

from __future__ import annotations

import json
import logging
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import apsw

from wattmark.core.errors import StoreError
from wattmark.store.columns import checksum
from wattmark.store.faults import REPORTED, damaged, unreadable
from wattmark.store.query import query
from wattmark.store.table import StoredTable

_log = logging.getLogger(__name__)
T = TypeVar("T")
Reader = Callable[[tuple[Any, ...]], T]
"""Converts the values of a row to the object that they encode, or raises one of `REFUSED`."""
REFUSED = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""Exceptions that a reader raises for values that encode nothing."""

ROW_CRC = StoredTable(
    name="row_crc",
    key=("owner", "key"),
    columns={"owner": "TEXT NOT NULL", "key": "TEXT NOT NULL", "crc": "INTEGER NOT NULL"},
)
"""The checksums: the table that owns the row, the row's key as a JSON array, the CRC-32."""
_GUARD = """
    CREATE TRIGGER {table}_crc_comes AFTER INSERT ON {table} BEGIN
      INSERT INTO row_crc VALUES ('{table}', json_array({new_key}), row_crc({new_crc}))
        ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
    CREATE TRIGGER {table}_crc_changes AFTER UPDATE ON {table} BEGIN
      DELETE FROM row_crc WHERE owner = '{table}' AND key = json_array({old_key});
      INSERT INTO row_crc VALUES ('{table}', json_array({new_key}), row_crc({new_crc}))
        ON CONFLICT DO UPDATE SET crc = excluded.crc;
    END;
    CREATE TRIGGER {table}_crc_goes AFTER DELETE ON {table} BEGIN
      DELETE FROM row_crc WHERE owner = '{table}' AND key = json_array({old_key});
    END;
"""
_WHOLE = "SELECT key FROM row_crc WHERE owner = ? AND key = json_array({holes})"
_BEGUN = """WITH begun(key) AS MATERIALIZED (SELECT rtrim(json_array({holes}), ']'))
            SELECT {columns} FROM row_crc WHERE owner = ?
            AND key > (SELECT key FROM begun) || ',' AND key < (SELECT key FROM begun) || '-'"""


def row_crc(*values: apsw.SQLiteValue) -> int:
    """Compute a CRC-32 over values as SQLite keeps them: text, bytes, numbers and NULL."""
    return checksum(*[_PLAIN[type(value)](value) for value in values])


def teach(connection: apsw.Connection) -> None:
    """Register the checksum function that the triggers of guarded tables need on this connection."""
    connection.create_scalar_function("row_crc", row_crc, deterministic=True)


def _of_float(value: float) -> bytes:
    return struct.pack("<d", value + 0.0)  # SQLite keeps no negative zero


_PLAIN: dict[type, Callable[[Any], bytes | None]] = {
    str: str.encode,
    int: b"%d".__mod__,
    float: _of_float,
    bytes: bytes,
    type(None): lambda _: None,
}


class GuardedRow(NamedTuple):
    """A row as it is on disk; ``values`` None: it is lost, or cannot be read at all."""

    title: str
    text: str
    """The key as JSON."""
    values: tuple[Any, ...] | None
    crc: int | None

    @property
    def key(self) -> tuple[Any, ...]:
        """Return the values of the key."""
        return _parts(self.text)

    @property
    def name(self) -> str:
        """Return the row's name for people: "The note of run r7"."""
        return self.title.format(*self.key, "?", "?")

    @property
    def sound(self) -> bool:
        """Return whether the row is as it was written."""
        return self.values is not None and row_crc(*self.values) == self.crc


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GuardedTable(StoredTable):
    """A table of which every row has a checksum over all its columns in `ROW_CRC`."""

    row_name: str
    """Name of a row, by the columns of its key: "Tag {1} of run {0}"."""
    reader: Reader[object] = tuple
    """What the store reads a row by, where a row is more than its columns."""

    def triggers(self) -> Iterator[str]:
        """Return the statements that create its indexes and triggers, those of the checksums among them."""
        yield from super(GuardedTable, self).triggers()
        (new_key, new_crc), (old_key, _) = (
            [", ".join(f"{row}.{name}" for name in names) for names in (self.key, self.columns)]
            for row in ("new", "old")
        )
        yield _GUARD.format(table=self.name, new_key=new_key, new_crc=new_crc, old_key=old_key)

    def rows(self, connection: apsw.Connection, condition: str = "true", *values: apsw.SQLiteValue) -> list[GuardedRow]:
        """Read the rows for which a condition holds, in order of their keys, not yet verified.

        Where that fails, each row is read alone; those that cannot be read are given too, whatever the condition.
        """
        try:
            return self._read(connection, condition, *values)
        except REPORTED:
            return [row for key in self._keys(connection) for row in self._alone(connection, key, condition, *values)]

    def of(self, connection: apsw.Connection, *key: apsw.SQLiteValue) -> list[GuardedRow]:
        """Read the rows whose key begins so, in order of their keys, not yet verified; lost rows are included."""
        condition = " AND ".join(f"{column} = ?" for column, _ in zip(self.key, key, strict=False))
        rows = [row for row in self.rows(connection, condition, *key) if row.key[: len(key)] == key]
        there = {row.text for row in rows}
        noted = self._noted(connection, *key)
        return rows + [GuardedRow(self.row_name, text, None, None) for text in noted if text not in there]

    def checksums(self, connection: apsw.Connection, *key: apsw.SQLiteValue) -> tuple[tuple[str, int], ...]:
        """List the checksums of the rows whose key begins so, without the rows: they change when a row does."""
        holes = ", ".join("?" * len(key))
        rows = query(connection, _BEGUN.format(columns="key, crc", holes=holes), *key, self.name)
        return tuple(sorted(rows))

    def lost(self, connection: apsw.Connection) -> list[GuardedRow]:
        """Find rows whose checksum exists but which are missing."""
        sql = f"SELECT key FROM row_crc WHERE owner = ? AND key NOT IN (SELECT {self._key} FROM {self.name})"  # noqa: S608
        return [GuardedRow(self.row_name, key, None, None) for (key,) in query(connection, sql, self.name)]

    def forget_lost(self, connection: apsw.Connection) -> None:
        """Remove the checksums of missing rows."""
        sql = f"DELETE FROM row_crc WHERE owner = ? AND key NOT IN (SELECT {self._key} FROM {self.name})"  # noqa: S608
        query(connection, sql, self.name)

    def _noted(self, connection: apsw.Connection, *key: apsw.SQLiteValue) -> list[str]:
        """List the keys that begin so and have a checksum."""
        holes = ", ".join("?" * len(key))
        if len(key) == len(self.key):
            rows = query(connection, _WHOLE.format(holes=holes), self.name, *key)
        else:
            rows = query(connection, _BEGUN.format(columns="key", holes=holes), *key, self.name)
        return [text for (text,) in rows]

    @property
    def _key(self) -> str:
        return f"json_array({', '.join(self.key)})"

    def _read(self, connection: apsw.Connection, condition: str, *values: apsw.SQLiteValue) -> list[GuardedRow]:
        crc = f"(SELECT crc FROM row_crc WHERE owner = '{self.name}' AND key = {self._key})"  # noqa: S608
        sql = f"SELECT {self._key}, {crc}, {', '.join(self.columns)} FROM {self.name} WHERE {condition}"  # noqa: S608
        return [
            GuardedRow(self.row_name, key, tuple(row), noted)
            for key, noted, *row in query(connection, f"{sql} ORDER BY {', '.join(self.key)}", *values)
        ]

    def _alone(
        self, connection: apsw.Connection, key: str, condition: str, *values: apsw.SQLiteValue
    ) -> Iterator[GuardedRow]:
        only = " AND ".join(f"{column} = ?" for column in self.key)
        try:
            yield from self._read(connection, f"{only} AND ({condition})", *_parts(key), *values)
        except REPORTED:
            yield GuardedRow(self.row_name, key, None, None)

    def _keys(self, connection: apsw.Connection) -> list[str]:
        try:
            rows = query(connection, "SELECT key FROM row_crc WHERE owner = ?", self.name)
        except REPORTED:
            rows = query(connection, f"SELECT {self._key} FROM {self.name}")  # noqa: S608
        return [key for (key,) in rows]


def _parts(text: Any) -> tuple[Any, ...]:
    """Parse a key, which may be damaged itself."""
    try:
        parts = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return (text,)
    return tuple(parts) if isinstance(parts, list) else (text,)


def read_row(row: GuardedRow, reader: Reader[T], path: Path) -> T:
    """Read a row's value. Raises `StoreError` naming the row where it is damaged or its reader refuses it."""
    if row.values is None or not row.sound:
        raise damaged(path, row.name)
    try:
        return reader(row.values)
    except REFUSED as error:
        raise unreadable(path, row.name, error) from error


def all_of(rows: Sequence[GuardedRow], path: Path) -> list[tuple[Any, ...]]:
    """Return the values of rows. Raises `StoreError` naming the first that is damaged."""
    return read_all(rows, tuple, path)


def read_all(rows: Sequence[GuardedRow], reader: Reader[T], path: Path) -> list[T]:
    """Read rows. Raises `StoreError` naming the first that is damaged, or that its reader refuses."""
    return [read_row(row, reader, path) for row in rows]


class Readable:
    """Read rows of a list, excluding unreadable ones; the first time, log which and why."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._told: set[str] = set()

    def of(self, rows: Sequence[GuardedRow]) -> list[tuple[Any, ...]]:
        """Return the values of rows, except damaged ones."""
        return self.read(rows, tuple)

    def read(self, rows: Sequence[GuardedRow], reader: Reader[T]) -> list[T]:
        """Read rows, except those that are damaged or that their reader refuses."""
        values = []
        for row in rows:
            try:
                values.append(read_row(row, reader, self._path))
            except StoreError as error:
                self._tell(row.name, error)
        return values

    def _tell(self, name: str, error: StoreError) -> None:
        if name not in self._told:
            self._told.add(name)
            _log.error("%s", error)
