"""Check loads and their readings in the SQLite file."""

from __future__ import annotations

from typing import Any

import apsw

from wattmark.check_loads.record import CheckLoad, CheckReading
from wattmark.errors import Conflict
from wattmark.storage.database import Database
from wattmark.storage.query import query

LOAD = ("name", "meter", "nominal_w", "target_w", "description", "added_ns")
READING = (
    *("check_load", "at_ns", "power_w", "sd_w", "n", "range", "operator", "note"),
    *("by_hand", "simulated", "begins_baseline"),
)


class SqliteCheckLoadStore:
    """Keep check loads; every change is on disk when the call returns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, load: CheckLoad) -> None:
        """Insert a check load; durable when it returns. Raises `Conflict` when the name is taken."""
        values = [getattr(load, column) for column in LOAD]

        def insert(connection: apsw.Connection) -> None:
            if query(connection, "SELECT 1 FROM check_load WHERE name = ?", load.name):
                raise Conflict(f"There is a check load {load.name} already.", "Choose another name.")
            query(connection, "INSERT INTO check_load VALUES (?, ?, ?, ?, ?, ?)", *values)

        self._database.write(insert)

    def add_reading(self, reading: CheckReading) -> None:
        """Insert a reading. Raises `Conflict` when the load has one of the very same instant."""
        key = reading.check_load, reading.at_ns
        values = [getattr(reading, column) for column in READING]

        def insert(connection: apsw.Connection) -> None:
            if query(connection, "SELECT 1 FROM check_reading WHERE check_load = ? AND at_ns = ?", *key):
                raise Conflict(
                    f"Check load {reading.check_load} has a reading of this very instant.",
                    "It is recorded already; give another time if this is another one.",
                )
            query(connection, "INSERT INTO check_reading VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *values)

        self._database.write(insert)

    def get(self, name: str) -> CheckLoad | None:
        """Read one check load; None where there is none."""
        return next((load for load in self.all() if load.name == name), None)

    def all(self) -> list[CheckLoad]:
        """Read all check loads by name."""
        rows = self._rows(f"SELECT {', '.join(LOAD)} FROM check_load ORDER BY name")  # noqa: S608
        return [CheckLoad.model_validate(dict(zip(LOAD, row, strict=True))) for row in rows]

    def readings(self, name: str) -> list[CheckReading]:
        """Read the readings of a check load, oldest first."""
        sql = f"SELECT {', '.join(READING)} FROM check_reading WHERE check_load = ? ORDER BY at_ns"  # noqa: S608
        return [CheckReading.model_validate(dict(zip(READING, row, strict=True))) for row in self._rows(sql, name)]

    def _rows(self, sql: str, *values: apsw.SQLiteValue) -> list[Any]:
        with self._database.snapshot() as connection:
            return query(connection, sql, *values)
