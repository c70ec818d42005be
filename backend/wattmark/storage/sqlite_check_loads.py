"""Check loads and their readings in the SQLite file."""

from __future__ import annotations

from typing import Any

import apsw

from wattmark.check_loads.record import CheckLoad, CheckReading
from wattmark.errors import Conflict
from wattmark.storage.database import Database
from wattmark.storage.guarded import Readable, read_all
from wattmark.storage.guarded_tables import CHECK_LOAD, CHECK_READING
from wattmark.storage.query import query


class SqliteCheckLoadStore:
    """Keep check loads; every change is on disk when the call returns."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._readable = Readable(database.path)

    def add(self, load: CheckLoad) -> None:
        """Insert a check load; durable when it returns. Raises `Conflict` when the name is taken."""
        values = [getattr(load, column) for column in CHECK_LOAD.columns]

        def insert(connection: apsw.Connection) -> None:
            if query(connection, "SELECT 1 FROM check_load WHERE name = ?", load.name):
                raise Conflict(f"There is a check load {load.name} already.", "Choose another name.")
            query(connection, "INSERT INTO check_load VALUES (?, ?, ?, ?, ?, ?)", *values)

        self._database.write(insert)

    def add_reading(self, reading: CheckReading) -> None:
        """Insert a reading. Raises `Conflict` when the load has one of the very same instant."""
        key = reading.check_load, reading.at_ns
        values = [getattr(reading, column) for column in CHECK_READING.columns]

        def insert(connection: apsw.Connection) -> None:
            if query(connection, "SELECT 1 FROM check_reading WHERE check_load = ? AND at_ns = ?", *key):
                raise Conflict(
                    f"Check load {reading.check_load} has a reading of this very instant.",
                    "It is recorded already; give another time if this is another one.",
                )
            query(connection, "INSERT INTO check_reading VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *values)

        self._database.write(insert)

    def get(self, name: str) -> CheckLoad | None:
        """Read one check load; None where there is none. Raises `StoreError` where it is damaged."""
        with self._database.snapshot() as connection:
            loads = read_all(CHECK_LOAD.of(connection, name), read_load, self._database.path)
        return loads[0] if loads else None

    def all(self) -> list[CheckLoad]:
        """Read all check loads by name; damaged ones are left out."""
        with self._database.snapshot() as connection:
            rows = CHECK_LOAD.rows(connection)
        return self._readable.read(rows, read_load)

    def readings(self, name: str) -> list[CheckReading]:
        """Read the readings of a check load, oldest first. Raises `StoreError` naming one that is damaged."""
        with self._database.snapshot() as connection:
            return read_all(CHECK_READING.of(connection, name), read_reading, self._database.path)


def read_reading(row: tuple[Any, ...]) -> CheckReading:
    """Read a row. Raises `ValueError` for one that is no reading."""
    return CheckReading.model_validate(dict(zip(CHECK_READING.columns, row, strict=True)))


def read_load(row: tuple[Any, ...]) -> CheckLoad:
    """Read a row. Raises `ValueError` for one that is no check load."""
    return CheckLoad.model_validate(dict(zip(CHECK_LOAD.columns, row, strict=True)))
