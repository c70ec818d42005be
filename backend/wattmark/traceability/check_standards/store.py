"""Check standards and their readings in the SQLite file."""

from __future__ import annotations

from typing import Any

import apsw

from wattmark.core.errors import Conflict
from wattmark.store.database import Database
from wattmark.store.guards.guarded import GuardedTable, Readable, read_all
from wattmark.store.query import query
from wattmark.traceability.check_standards.record import CheckReading, CheckStandard


def read_load(row: tuple[Any, ...]) -> CheckStandard:
    """Parse a row with a check standard. Raises `ValueError`."""
    return CheckStandard.model_validate(dict(zip(CHECK_STANDARD.columns, row, strict=True)))


def read_reading(row: tuple[Any, ...]) -> CheckReading:
    """Parse a row with a reading. Raises `ValueError`."""
    return CheckReading.model_validate(dict(zip(CHECK_READING.columns, row, strict=True)))


CHECK_STANDARD = GuardedTable(
    name="check_standard",
    row_name="Check standard {0}",
    key=("name",),
    columns={
        "name": "TEXT",
        "meter": "TEXT NOT NULL",
        "nominal_w": "REAL NOT NULL",
        "target_w": "REAL",
        "description": "TEXT NOT NULL",
        "added_ns": "INTEGER NOT NULL",
    },
    reader=read_load,
)
CHECK_READING = GuardedTable(
    name="check_reading",
    row_name="The reading of check standard {0} at {1} ns",
    key=("check_standard", "at_ns"),
    columns={
        "check_standard": "TEXT REFERENCES check_standard(name)",
        "at_ns": "INTEGER",
        "power_w": "REAL NOT NULL",
        "sd_w": "REAL",
        "n": "INTEGER",
        "range": "TEXT",
        "operator": "TEXT NOT NULL",
        "note": "TEXT NOT NULL",
        "by_hand": "INTEGER NOT NULL",
        "simulated": "INTEGER NOT NULL",
        "begins_baseline": "INTEGER NOT NULL",
    },
    reader=read_reading,
)
TABLES = CHECK_STANDARD, CHECK_READING


class CheckStandardStore:
    """Keep check standards and their readings, which never change; all is on disk when the call returns."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._readable = Readable(database.path)

    def add(self, load: CheckStandard) -> None:
        """Add a check standard; durable when it returns. Raises `Conflict` when the name is taken."""
        values = [getattr(load, column) for column in CHECK_STANDARD.columns]

        def insert(connection: apsw.Connection) -> None:
            if query(connection, "SELECT 1 FROM check_standard WHERE name = ?", load.name):
                raise Conflict(f"There is already a check standard named {load.name}.", "Choose another name.")
            query(connection, "INSERT INTO check_standard VALUES (?, ?, ?, ?, ?, ?)", *values)

        self._database.write(insert)

    def add_reading(self, reading: CheckReading) -> None:
        """Add a reading; durable when it returns. Raises `Conflict` when there is one with this timestamp."""
        key = reading.check_standard, reading.at_ns
        values = [getattr(reading, column) for column in CHECK_READING.columns]

        def insert(connection: apsw.Connection) -> None:
            if query(connection, "SELECT 1 FROM check_reading WHERE check_standard = ? AND at_ns = ?", *key):
                raise Conflict(
                    f"Check standard {reading.check_standard} already has a reading with this timestamp.",
                    "Nothing was changed. Give another time if this is another reading.",
                )
            query(connection, "INSERT INTO check_reading VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *values)

        self._database.write(insert)

    def get(self, name: str) -> CheckStandard | None:
        """Read one check standard; None where there is none. Raises `StoreError` where it is damaged."""
        with self._database.snapshot() as connection:
            loads = read_all(CHECK_STANDARD.of(connection, name), read_load, self._database.path)
        return loads[0] if loads else None

    def all(self) -> list[CheckStandard]:
        """Read all check standards by name; damaged ones are excluded."""
        with self._database.snapshot() as connection:
            rows = CHECK_STANDARD.rows(connection)
        return self._readable.read(rows, read_load)

    def readings(self, name: str) -> list[CheckReading]:
        """Read the readings of a check standard, oldest first. Raises `StoreError` naming one that is damaged."""
        with self._database.snapshot() as connection:
            return read_all(CHECK_READING.of(connection, name), read_reading, self._database.path)
