"""Open a data folder with everything that is kept in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from wattmark.access import store as sqlite_access
from wattmark.access.store import AuditStore, TokenStore
from wattmark.alarms import store as sqlite_alarms
from wattmark.alarms.store import AlarmStore
from wattmark.results.issued import row_store as sqlite_result_rows
from wattmark.results.issued import store as sqlite_issued
from wattmark.results.issued.row_store import ResultStore
from wattmark.results.issued.store import IssuedResultStore
from wattmark.runs import store as sqlite_runs
from wattmark.runs.annotations import store as sqlite_annotations
from wattmark.runs.annotations.store import AnnotationStore
from wattmark.runs.store import RunStore
from wattmark.store.database import Database
from wattmark.store.layout import Layout
from wattmark.store.outbox import outbox as sqlite_outbox
from wattmark.store.samples import SqliteSampleStore
from wattmark.traceability.certificates import store as sqlite_certificates
from wattmark.traceability.certificates.store import CertificateStore
from wattmark.traceability.check_standards import store as sqlite_check_standards
from wattmark.traceability.check_standards.store import CheckStandardStore

T = TypeVar("T")

LAYOUT = Layout(
    (
        *sqlite_runs.TABLES,
        *sqlite_result_rows.TABLES,
        *sqlite_annotations.TABLES,
        *sqlite_check_standards.TABLES,
        *sqlite_certificates.TABLES,
        *sqlite_issued.TABLES,
        *sqlite_alarms.TABLES,
        *sqlite_outbox.TABLES,
        *sqlite_access.TABLES,
    )
)
"""Layout 1: the tables of every subject."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The stores of one data folder; they share the file and its one writer."""

    database: Database
    samples: SqliteSampleStore
    runs: RunStore
    results: ResultStore
    check_standards: CheckStandardStore
    certificates: CertificateStore
    issued: IssuedResultStore
    annotations: AnnotationStore
    tokens: TokenStore
    audit: AuditStore
    alarms: AlarmStore

    def all_or_nothing(self, work: Callable[[Storage], T]) -> T:
        """Apply changes to several stores in one transaction: all of them are on disk when this returns, or none."""
        return self.database.transaction(lambda database: work(_stores(database)))

    def delete_run(self, run_id: str) -> None:
        """Delete a run with its samples, issued results, tags and notes."""
        self.samples.delete_run(run_id)
        self.runs.delete(run_id)
        self.issued.delete(run_id)
        self.annotations.delete(run_id)

    def close(self) -> None:
        """Close the data folder: commit the queue and release the lock, within two seconds."""
        self.database.close()


def open_storage(data_dir: Path, *, read_only: bool = False) -> Storage:
    """Open a data folder: exclusively for writing, or for reading beside other processes. Raises `StoreError`."""
    return _stores(Database(data_dir, LAYOUT, read_only=read_only))


def _stores(database: Database) -> Storage:
    return Storage(
        database,
        SqliteSampleStore(database),
        RunStore(database),
        ResultStore(database),
        CheckStandardStore(database),
        CertificateStore(database),
        IssuedResultStore(database),
        AnnotationStore(database),
        TokenStore(database),
        AuditStore(database),
        AlarmStore(database),
    )
