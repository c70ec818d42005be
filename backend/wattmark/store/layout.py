"""The layout of a database: its tables, and the steps that convert a file of an older layout.

A released step never changes. There is none yet: layout 1 is the first that is released. The schema of a converted
file is not known (`schema.py`), so it is not rebuilt.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import apsw

from wattmark.core.errors import StoreError
from wattmark.store import chunks, live_rows, series_table
from wattmark.store.faults import foreign
from wattmark.store.guards.guarded import ROW_CRC, GuardedTable
from wattmark.store.outbox import outbox_seal
from wattmark.store.query import query
from wattmark.store.schema import NO_LAYOUT, UNREADABLE, DamagedSchemaError, Schema, read_entries
from wattmark.store.table import StoredTable

APPLICATION_ID = 0x57544D4B
"""Marks the file as wattmark's ("WTMK") in SQLite's header; its number of layout is the header's ``user_version``."""

_PRAGMAS = "application_id", "user_version", "schema_version"
_NAMED = 3
"""Damaged parts of a schema that a message names."""
_ENGINE = *series_table.TABLES, *live_rows.TABLES, *chunks.TABLES, *outbox_seal.TABLES, ROW_CRC


@dataclass(frozen=True, slots=True)
class Layout:
    """Tables of a file besides samples, and the SQL of each step from layout 1 to this one."""

    subjects: tuple[StoredTable, ...]
    steps: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        return 1 + len(self.steps)

    @property
    def tables(self) -> tuple[StoredTable, ...]:
        """Return all tables, those of the samples first."""
        return *_ENGINE, *self.subjects

    @property
    def guarded(self) -> tuple[GuardedTable, ...]:
        """Return the tables whose rows have checksums."""
        return tuple(table for table in self.tables if isinstance(table, GuardedTable))

    @property
    def schema(self) -> Schema:
        """Return the schema of a new file of this layout."""
        return _schema_of(self)

    def number_of(self, connection: apsw.Connection, path: Path) -> int:
        """Read the number of a file's layout; 0 for an empty file.

        Raises `DamagedSchemaError` for a file of this layout whose schema or header is damaged, and `StoreError` for
        another program's file, and for one whose layout this build does not know.
        """
        try:
            entries = read_entries(connection)
            application, number, changes = (int(connection.pragma(name)) for name in _PRAGMAS)
        except UNREADABLE as error:
            if self.schema.laid_out(path):
                raise DamagedSchemaError(path, str(error)) from error
            raise
        deviations = self.schema.deviations(entries)
        if not deviations:
            if application != APPLICATION_ID or not 0 < number < NO_LAYOUT or self.schema.header_changed(path):
                raise DamagedSchemaError(path, "the header is not as written")
        elif changes == self.schema.changes and self.schema.nearly(entries) and self.schema.laid_out(path):
            raise DamagedSchemaError(path, f"not as declared: {', '.join(deviations[:_NAMED])}")
        if not entries:
            return 0
        if application != APPLICATION_ID:
            raise foreign(path)
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
                self._mark(connection)

    def _create(self, connection: apsw.Connection) -> None:
        for table in self.tables:
            query(connection, table.create())
        for table in self.tables:
            for trigger in table.triggers():
                query(connection, trigger)
        self._mark(connection)

    def _mark(self, connection: apsw.Connection) -> None:
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", self.number)


@cache
def _schema_of(layout: Layout) -> Schema:
    connection = apsw.Connection(":memory:")
    try:
        with connection:
            layout._create(connection)  # noqa: SLF001 - the same statements as for a file
        return Schema.of(connection)
    finally:
        connection.close()
