"""Tables whose rows have a checksum, kept beside them by triggers: a row that is damaged or lost is named."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import apsw

from wattmark.errors import StoreError
from wattmark.storage.faults import REPORTED, damaged, unreadable
from wattmark.storage.query import query
from wattmark.storage.row_checksum import row_crc

_log = logging.getLogger(__name__)
T = TypeVar("T")
Reader = Callable[[tuple[Any, ...]], T]
"""Makes of a row's values what they stand for, or raises one of `REFUSED`."""
REFUSED = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""What a reader raises for values that stand for nothing."""

_WHOLE = "SELECT key FROM row_crc WHERE owner = ? AND key = json_array({holes})"
_BEGUN = """WITH begun(key) AS MATERIALIZED (SELECT rtrim(json_array({holes}), ']'))
            SELECT key FROM row_crc WHERE owner = ?
            AND key > (SELECT key FROM begun) || ',' AND key < (SELECT key FROM begun) || '-'"""


class Row(NamedTuple):
    """A row as it is on disk; ``values`` None: it is lost, or cannot be read at all."""

    title: str
    text: str
    """The key as JSON."""
    values: tuple[Any, ...] | None
    crc: int | None

    @property
    def key(self) -> tuple[Any, ...]:
        """Give the values of the key."""
        return _parts(self.text)

    @property
    def name(self) -> str:
        """Say what to call the row: "The note of run r7"."""
        return self.title.format(*self.key, "?", "?")

    @property
    def sound(self) -> bool:
        """Tell whether the row is as it was written."""
        return self.values is not None and row_crc(*self.values) == self.crc


@dataclass(frozen=True, slots=True)
class Guarded:
    """A table, the columns of its key, the columns that a checksum covers in their order, and what to call a row.

    ``owner`` tells two checksums of a table apart: one that is read with every list, and one of what is long.
    """

    table: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    title: str
    owner: str = ""

    def rows(self, connection: apsw.Connection, condition: str = "true", *values: apsw.SQLiteValue) -> list[Row]:
        """Read the rows for which a condition holds, in order of their keys, not yet verified.

        Where that fails, each row is read alone; those that cannot be read are given too, whatever the condition.
        """
        try:
            return self._read(connection, condition, *values)
        except REPORTED:
            return [row for key in self._keys(connection) for row in self._alone(connection, key, condition, *values)]

    def of(self, connection: apsw.Connection, *key: apsw.SQLiteValue) -> list[Row]:
        """Read the rows whose key begins so, in order of their keys, not yet verified; lost ones are given too."""
        condition = " AND ".join(f"{column} = ?" for column, _ in zip(self.key, key, strict=False))
        rows = [row for row in self.rows(connection, condition, *key) if row.key[: len(key)] == key]
        there = {row.text for row in rows}
        noted = self._noted(connection, *key)
        return rows + [Row(self.title, text, None, None) for text in noted if text not in there]

    def lost(self, connection: apsw.Connection) -> list[Row]:
        """Find rows that have a checksum but are not there any more."""
        sql = f"SELECT key FROM row_crc WHERE owner = ? AND key NOT IN (SELECT {self._key} FROM {self.table})"  # noqa: S608
        return [Row(self.title, key, None, None) for (key,) in query(connection, sql, self._owner)]

    def forget_lost(self, connection: apsw.Connection) -> None:
        """Forget rows that are not there any more."""
        sql = f"DELETE FROM row_crc WHERE owner = ? AND key NOT IN (SELECT {self._key} FROM {self.table})"  # noqa: S608
        query(connection, sql, self._owner)

    def _noted(self, connection: apsw.Connection, *key: apsw.SQLiteValue) -> list[str]:
        """List the keys that begin so and have a checksum."""
        holes = ", ".join("?" * len(key))
        if len(key) == len(self.key):
            found = query(connection, _WHOLE.format(holes=holes), self._owner, *key)
        else:
            found = query(connection, _BEGUN.format(holes=holes), *key, self._owner)
        return [text for (text,) in found]

    @property
    def _owner(self) -> str:
        return self.owner or self.table

    @property
    def _key(self) -> str:
        return f"json_array({', '.join(self.key)})"

    def _read(self, connection: apsw.Connection, condition: str, *values: apsw.SQLiteValue) -> list[Row]:
        crc = f"(SELECT crc FROM row_crc WHERE owner = '{self._owner}' AND key = {self._key})"  # noqa: S608
        sql = f"SELECT {self._key}, {crc}, {', '.join(self.columns)} FROM {self.table} WHERE {condition}"  # noqa: S608
        return [
            Row(self.title, key, tuple(row), noted)
            for key, noted, *row in query(connection, f"{sql} ORDER BY {', '.join(self.key)}", *values)
        ]

    def _alone(self, connection: apsw.Connection, key: str, condition: str, *values: apsw.SQLiteValue) -> Iterator[Row]:
        only = " AND ".join(f"{column} = ?" for column in self.key)
        try:
            yield from self._read(connection, f"{only} AND ({condition})", *_parts(key), *values)
        except REPORTED:
            yield Row(self.title, key, None, None)

    def _keys(self, connection: apsw.Connection) -> list[str]:
        try:
            found = query(connection, "SELECT key FROM row_crc WHERE owner = ?", self._owner)
        except REPORTED:
            found = query(connection, f"SELECT {self._key} FROM {self.table}")  # noqa: S608
        return [key for (key,) in found]


def _parts(text: Any) -> tuple[Any, ...]:
    """Read a key, which may be damaged itself."""
    try:
        parts = json.loads(text)
    except (TypeError, ValueError):
        return (text,)
    return tuple(parts) if isinstance(parts, list) else (text,)


def read_row(row: Row, reader: Reader[T], path: Path) -> T:
    """Give what a row stands for. Raises `StoreError` naming it where it is damaged, or its reader refuses it."""
    if row.values is None or not row.sound:
        raise damaged(path, row.name)
    try:
        return reader(row.values)
    except REFUSED as error:
        raise unreadable(path, row.name, error) from error


def all_of(rows: Sequence[Row], path: Path) -> list[tuple[Any, ...]]:
    """Give the values of rows. Raises `StoreError` naming the first that is damaged."""
    return read_all(rows, tuple, path)


def read_all(rows: Sequence[Row], reader: Reader[T], path: Path) -> list[T]:
    """Read rows. Raises `StoreError` naming the first that is damaged, or that its reader refuses."""
    return [read_row(row, reader, path) for row in rows]


class Readable:
    """Read rows of a list, and leave out what cannot be read; the first time, say which and why."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._told: set[str] = set()

    def of(self, rows: Sequence[Row]) -> list[tuple[Any, ...]]:
        """Give the values of rows, but of those that are damaged."""
        return self.read(rows, tuple)

    def read(self, rows: Sequence[Row], reader: Reader[T]) -> list[T]:
        """Leave out rows that are damaged, or that their reader refuses."""
        found = []
        for row in rows:
            try:
                found.append(read_row(row, reader, self._path))
            except StoreError as error:
                self._tell(row.name, error)
        return found

    def _tell(self, name: str, error: StoreError) -> None:
        if name not in self._told:
            self._told.add(name)
            _log.error("%s", error)
