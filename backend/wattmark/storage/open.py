"""Open a data folder with everything that is kept in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from wattmark.storage.database import Database
from wattmark.storage.sqlite_access import SqliteAuditStore, SqliteTokenStore
from wattmark.storage.sqlite_alarms import SqliteAlarmStore
from wattmark.storage.sqlite_annotations import SqliteAnnotationStore
from wattmark.storage.sqlite_certificates import SqliteCertificateStore
from wattmark.storage.sqlite_check_loads import SqliteCheckLoadStore
from wattmark.storage.sqlite_run_rows import SqliteRunRowStore
from wattmark.storage.sqlite_runs import SqliteRunStore
from wattmark.storage.sqlite_samples import SqliteSampleStore
from wattmark.storage.sqlite_statements import SqliteStatementStore

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Storage:
    """The stores of one data folder; they share the file and its one writer."""

    database: Database
    samples: SqliteSampleStore
    runs: SqliteRunStore
    run_rows: SqliteRunRowStore
    check_loads: SqliteCheckLoadStore
    certificates: SqliteCertificateStore
    statements: SqliteStatementStore
    annotations: SqliteAnnotationStore
    tokens: SqliteTokenStore
    audit: SqliteAuditStore
    alarms: SqliteAlarmStore

    def all_or_nothing(self, work: Callable[[Storage], T]) -> T:
        """Change several stores in one transaction: all of it is on disk when this returns, or nothing."""
        return self.database.transaction(lambda database: work(_stores(database)))

    def close(self) -> None:
        """Commit what is queued and let the next process in; returns within two seconds."""
        self.database.close()


def open_storage(data_dir: Path, *, read_only: bool = False) -> Storage:
    """Open a data folder, alone for writing or beside others for reading. Raises `StoreError`."""
    return _stores(Database(data_dir, read_only=read_only))


def _stores(database: Database) -> Storage:
    return Storage(
        database,
        SqliteSampleStore(database),
        SqliteRunStore(database),
        SqliteRunRowStore(database),
        SqliteCheckLoadStore(database),
        SqliteCertificateStore(database),
        SqliteStatementStore(database),
        SqliteAnnotationStore(database),
        SqliteTokenStore(database),
        SqliteAuditStore(database),
        SqliteAlarmStore(database),
    )
