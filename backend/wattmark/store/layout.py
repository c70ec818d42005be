"""The layout of a database: its tables, and the steps that bring a file of an older layout to them.

A released step never changes. There is none yet: layout 1 is the first that is released.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import apsw

from wattmark.core.errors import StoreError
from wattmark.store import chunks, live_rows, series_table
from wattmark.store.faults import foreign
from wattmark.store.guards.guarded import ROW_CRC, GuardedTable
from wattmark.store.outbox import outbox_seal
from wattmark.store.query import query
from wattmark.store.table import Table

APPLICATION_ID = 0x57544D4B
"""Marks the file as wattmark's ("WTMK") in SQLite's header; its number of layout is the header's ``user_version``."""

_ENGINE = *series_table.TABLES, *live_rows.TABLES, *chunks.TABLES, *outbox_seal.TABLES, ROW_CRC


@dataclass(frozen=True, slots=True)
class Layout:
    """What a file holds besides samples, and the SQL of each step from layout 1 to this one."""

    subjects: tuple[Table, ...]
    steps: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        return 1 + len(self.steps)

    @property
    def tables(self) -> tuple[Table, ...]:
        """Return all tables, those of the samples first."""
        return *_ENGINE, *self.subjects

    @property
    def guarded(self) -> tuple[GuardedTable, ...]:
        """Return the tables whose rows have checksums."""
        return tuple(table for table in self.tables if isinstance(table, GuardedTable))

    def number_of(self, connection: apsw.Connection, path: Path) -> int:
        """Read the number of a file's layout; 0 for an empty file.

        Raises `StoreError` for another program's file, and for one whose layout this build does not know.
        """
        if not query(connection, "SELECT 1 FROM sqlite_schema LIMIT 1"):
            return 0
        if connection.pragma("application_id") != APPLICATION_ID:
            raise foreign(path)
        number = int(connection.pragma("user_version"))
        if number > self.number:
            raise StoreError(
                f"{path} was written by a newer wattmark (layout {number}, this one knows {self.number}).",
                "Install that version or choose another folder with --data DIR.",
            )
        if number < 1:
            raise StoreError(
                f"{path} was written by a version of wattmark before the first release. Its layout is no longer "
                "supported.",
                "Choose another folder with --data DIR. To keep the runs, archive them with the old version (`wattmark "
                "archive`) and restore them in the new folder (`wattmark restore`).",
            )
        return number

    def prepare(self, connection: apsw.Connection, path: Path) -> None:
        """Create the tables of an empty file, or apply the steps that an older one lacks: all or none."""
        number = self.number_of(connection, path)
        if number == self.number:
            return
        with connection:
            if number == 0:
                self._create(connection)
            else:
                for step in self.steps[number - 1 :]:
                    query(connection, step)
            connection.pragma("application_id", APPLICATION_ID)
            connection.pragma("user_version", self.number)

    def _create(self, connection: apsw.Connection) -> None:
        for table in self.tables:
            query(connection, table.create())
        for table in self.tables:
            for trigger in table.triggers():
                query(connection, trigger)
