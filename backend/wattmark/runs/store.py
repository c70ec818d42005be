"""Run records and small documents on the one SQLite file: JSON, with columns for searched fields."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import apsw
from pydantic import BaseModel, ValidationError

from wattmark.core.errors import StoreError
from wattmark.core.validation import first_mistake
from wattmark.runs.damaged_run import DamagedRun, damaged_run
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.store.database import Database
from wattmark.store.faults import damaged, unreadable
from wattmark.store.guards.guarded import REFUSED, GuardedRow, GuardedTable, Readable, read_all
from wattmark.store.query import query

_KEPT = "run_id NOT IN (SELECT run_id FROM trash)"
_SOME = "run_id IN (SELECT value FROM json_each(?))"
_BY_AGE = "ORDER BY created_ns, run_id"
_NEVER_NS = 2**62
"""Stands for an instant of deletion that is damaged: such a run is not destroyed by its age."""
_INTERRUPTED = "The process ended while this run was recording. Its data up to then is kept. Repeat the run."


class _Thinning(BaseModel):
    thinned: object = None


class RunOrigin(BaseModel):
    """The few fields of a record that tell whether its issued result is shown as it was issued."""

    source: str = RunRecord.model_fields["source"].default
    server: str
    disclosure: _Thinning = _Thinning()


def read_record(row: tuple[Any, ...]) -> RunRecord:
    """Read a record. Raises `ValueError` for one that is none, or that is of another run."""
    record = RunRecord.model_validate_json(row[-1])
    if record.run_id != row[0]:
        raise ValueError(f"it belongs to run {record.run_id[:80]!r}")
    return record


def read_document(row: tuple[Any, ...]) -> tuple[str, dict[str, Any]]:
    """Read the name and the content of a document. Raises `ValueError` for anything but a JSON object."""
    _, name, text = row
    document = json.loads(text)
    if not isinstance(document, dict):
        raise ValueError("it is not a JSON object")
    return name, document


RUN = GuardedTable(
    name="run",
    row_name="The record of run {0}",
    key=("run_id",),
    columns={
        "run_id": "TEXT NOT NULL",
        "created_ns": "INTEGER NOT NULL",
        "campaign_id": "TEXT",
        "server": "TEXT NOT NULL",
        "configuration": "TEXT NOT NULL",
        "workload": "TEXT NOT NULL",
        "status": "TEXT NOT NULL",
        "record": "TEXT NOT NULL",
    },
    rowid=True,
    reader=read_record,
    also="CREATE INDEX run_by_age ON run(created_ns); CREATE INDEX run_by_status ON run(status);",
)
DOCUMENT = GuardedTable(
    name="document",
    row_name="Document {0}/{1}",
    key=("kind", "name"),
    columns={"kind": "TEXT", "name": "TEXT", "document": "TEXT NOT NULL"},
    reader=read_document,
)
TRASH = GuardedTable(
    name="trash",
    row_name="The trash's entry of run {0}",
    key=("run_id",),
    columns={"run_id": "TEXT", "trashed_ns": "INTEGER NOT NULL"},
)
TABLES = RUN, DOCUMENT, TRASH


class RunStore:
    """Keep run records and small documents (campaigns, origins); every change is on disk when the call returns.

    A run in the trash is kept, but only `trashed` knows it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._readable = Readable(database.path)
        self._read: dict[str, tuple[GuardedRow, RunRecord]] = {}
        """Cache of rows by key, so that only a changed row is verified and parsed again."""

    def put(self, run: RunRecord) -> None:
        """Insert or replace a record; durable when it returns. Raises `StoreError` for what cannot be read again."""
        self._database.write(partial(_put, runs=[run]))

    def get(self, run_id: str) -> RunRecord | None:
        """Read one record; None where there is none. Raises `StoreError` where it is damaged."""
        record = self.known(run_id)
        if isinstance(record, DamagedRun):
            raise record.error
        return record

    def known(self, run_id: str) -> RunRecord | None:
        """Read one record; None where there is none, a `DamagedRun` for a damaged one."""
        with self._database.snapshot() as connection:
            hidden = query(connection, "SELECT 1 FROM trash WHERE run_id = ?", run_id)
            rows = [] if hidden else RUN.of(connection, run_id)
        return self._record(rows[0]) if rows else None

    def all(self, workload: str | None = None) -> list[RunRecord]:
        """Read the records of a workload, or of all, oldest first; damaged ones are excluded."""
        return [run for run in self.listed(workload) if not isinstance(run, DamagedRun)]

    def listed(self, workload: str | None = None) -> list[RunRecord]:
        """Read the records of a workload, or of all, oldest first; a `DamagedRun` for each damaged one."""
        chosen, values = ("", ()) if workload is None else ("workload = ? AND ", (workload,))
        return self._records(f"{chosen}{_KEPT}", *values)

    def some(self, run_ids: Sequence[str]) -> list[RunRecord]:
        """Read some records, oldest first, without caching; a `DamagedRun` for each damaged one."""
        return self._records(f"{_SOME} AND {_KEPT}", json.dumps(run_ids), keep=False)

    def origins(self, run_ids: Sequence[str]) -> dict[str, RunOrigin]:
        """Read source, server and thinning of some runs, without whole records; damaged ones are omitted."""
        with self._database.snapshot() as connection:
            rows = RUN.rows(connection, f"{_SOME} AND {_KEPT}", json.dumps(run_ids))
        origins = {}
        for row in rows:
            if row.values is not None and row.sound:
                with suppress(ValidationError):
                    origins[row.key[0]] = RunOrigin.model_validate_json(row.values[-1])
        return origins

    def ids(self) -> list[str]:
        """List all runs, oldest first, without reading their records."""
        with self._database.snapshot() as connection:
            return [run_id for (run_id,) in query(connection, f"SELECT run_id FROM run WHERE {_KEPT} {_BY_AGE}")]  # noqa: S608

    def kept(self, run_ids: Sequence[str]) -> set[str]:
        """Select the runs that exist and are not in the trash."""
        sql = f"SELECT run_id FROM run WHERE {_SOME} AND {_KEPT}"  # noqa: S608
        with self._database.snapshot() as connection:
            return {run_id for (run_id,) in query(connection, sql, json.dumps(run_ids))}

    def count(self) -> int:
        with self._database.snapshot() as connection:
            return int(query(connection, f"SELECT count(*) FROM run WHERE {_KEPT}")[0][0])  # noqa: S608

    def running(self) -> list[RunRecord]:
        """Read the records of runs that are recording, oldest first."""
        return self._running(f"status = ? AND {_KEPT}")

    def count_by_status(self) -> dict[str, int]:
        """Count the records by their status, without reading them."""
        sql = f"SELECT status, count(*) FROM run WHERE {_KEPT} GROUP BY status ORDER BY status"  # noqa: S608
        with self._database.snapshot() as connection:
            return dict(query(connection, sql))

    def delete(self, run_id: str) -> None:
        """Delete a record (its samples are the sample store's to delete)."""

        def destroy(connection: apsw.Connection) -> None:
            query(connection, "DELETE FROM trash WHERE run_id = ?", run_id)
            query(connection, "DELETE FROM run WHERE run_id = ?", run_id)

        self._database.write(destroy)
        self._read = {text: read for text, read in self._read.items() if read[1].run_id != run_id}

    def trash(self, run_ids: Sequence[str], trashed_ns: int) -> None:
        """Move runs into the trash, all or none."""
        rows = [(run_id, trashed_ns) for run_id in run_ids]
        self._database.write(
            lambda connection: connection.executemany("INSERT OR IGNORE INTO trash VALUES (?, ?)", rows)
        )

    def restore(self, run_ids: Sequence[str]) -> None:
        """Take runs out of the trash, all or none."""
        rows = [(run_id,) for run_id in run_ids]
        self._database.write(lambda connection: connection.executemany("DELETE FROM trash WHERE run_id = ?", rows))

    def trashed(self) -> list[tuple[RunRecord, int]]:
        """Read the runs of the trash, latest first, with the instant of their deletion [UTC ns].

        A `DamagedRun` replaces one whose record is damaged.
        """
        with self._database.snapshot() as connection:
            trashed = {row.key[0]: row for row in TRASH.rows(connection)}
            rows = [row for row in RUN.rows(connection, f"NOT {_KEPT}") if row.key[0] in trashed]
        trashed_runs = [(self._record(row), _trashed_ns(trashed[row.key[0]])) for row in rows]
        return sorted(trashed_runs, key=lambda entry: (-entry[1], entry[0].run_id))

    def mark_interrupted(self) -> list[str]:
        """Set every run that is still "running" to "interrupted"; returns their ids. Called once at start."""
        broken = [
            run.model_copy(update={"status": RunStatus.INTERRUPTED, "reason": _INTERRUPTED})
            for run in self._running("status = ?")
        ]
        if broken:
            self._database.write(partial(_put, runs=broken))
        return [run.run_id for run in broken]

    def put_document(self, kind: str, name: str, document: dict[str, Any]) -> None:
        """Insert or replace a JSON document."""
        row = kind, name, json.dumps(document, ensure_ascii=False)
        self._database.write(
            lambda connection: query(connection, "INSERT OR REPLACE INTO document VALUES (?,?,?)", *row)
        )

    def delete_document(self, kind: str, name: str) -> None:
        """Delete one document, if it exists."""
        self._database.write(
            lambda connection: query(connection, "DELETE FROM document WHERE kind = ? AND name = ?", kind, name)
        )

    def document(self, kind: str, name: str) -> dict[str, Any] | None:
        """Read one document; None where there is none. Raises `StoreError` where it cannot be read."""
        with self._database.snapshot() as connection:
            rows = DOCUMENT.of(connection, kind, name)
        return dict(read_all(rows, read_document, self._database.path)).get(name)

    def documents(self, kind: str, *, whole: bool = False) -> dict[str, dict[str, Any]]:
        """Read all documents of a kind by name.

        Those that cannot be read are excluded; with ``whole`` they raise `StoreError`.
        """
        with self._database.snapshot() as connection:
            rows = DOCUMENT.of(connection, kind)
        if whole:
            return dict(read_all(rows, read_document, self._database.path))
        return dict(self._readable.read(rows, read_document))

    def documents_state(self, kind: str) -> tuple[tuple[str, int], ...]:
        """List the checksums of the documents of a kind without reading them: equal as long as none has changed."""
        with self._database.snapshot() as connection:
            return DOCUMENT.checksums(connection, kind)

    def document_names(self, kind: str, newest_by: str, having: tuple[str, str] | None = None) -> list[str]:
        """List the documents of a kind by name without reading them, those with the highest ``newest_by`` first.

        ``having`` is a field and the text that it must have.
        """
        field, text = having or (None, None)
        sql = """SELECT name FROM document WHERE kind = ?1
          AND (?3 IS NULL OR CASE WHEN json_valid(document) THEN document ->> ?3 END = ?4)
          ORDER BY CASE WHEN json_valid(document) THEN coalesce(document ->> ?2, 0) ELSE 0 END DESC, name"""
        with self._database.snapshot() as connection:
            return [name for (name,) in query(connection, sql, kind, newest_by, field, text)]

    def some_documents(self, kind: str, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Read some documents of a kind by name; those that cannot be read are excluded."""
        with self._database.snapshot() as connection:
            chosen = "kind = ? AND name IN (SELECT value FROM json_each(?))"
            rows = DOCUMENT.rows(connection, chosen, kind, json.dumps(list(names)))
        return dict(self._readable.read(rows, read_document))

    def _records(self, condition: str, *values: str, keep: bool = True) -> list[RunRecord]:
        with self._database.snapshot() as connection:
            rows = RUN.rows(connection, condition, *values)
        records = (self._record(row, keep=keep) for row in rows)
        return sorted(records, key=lambda run: (run.created_ns, run.run_id))

    def _running(self, condition: str) -> list[RunRecord]:
        status = RunStatus.RUNNING
        return [run for run in self._records(condition, status.value) if run.status is status]

    def _record(self, row: GuardedRow, *, keep: bool = True) -> RunRecord:
        before, record = self._read.get(row.text, (None, None))
        if record is None or before != row:
            record = self._validated(row.key[0], row)
            if keep:
                self._read[row.text] = row, record
        return record

    def _validated(self, run_id: str, row: GuardedRow) -> RunRecord:
        if row.values is None or not row.sound:
            return damaged_run(run_id, row.values, damaged(self._database.path, row.name).cause)
        try:
            return read_record(row.values)
        except REFUSED as error:
            return damaged_run(run_id, row.values, unreadable(self._database.path, row.name, error).cause)


def _trashed_ns(row: GuardedRow) -> int:
    return int(row.values[1]) if row.values is not None and row.sound else _NEVER_NS


def _put(connection: apsw.Connection, runs: Sequence[RunRecord]) -> None:
    connection.executemany("INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?)", map(_row, runs))


def _row(run: RunRecord) -> tuple[str | int | None, ...]:
    head = run.run_id, run.created_ns, run.campaign_id, run.server, run.configuration, run.workload, run.status.value
    return *head, _document(run)


def _document(run: RunRecord) -> str:
    """Write a record so that `_validated` reads it again."""
    try:
        run.changed()  # JSON would hide what is not finite
        text = json.dumps(run.model_dump(mode="json"), ensure_ascii=False)
        RunRecord.model_validate_json(text)
    except ValidationError as error:
        cause = f"The record of run {run.run_id} was not written: it could not be read again ({first_mistake(error)})."
        raise StoreError(cause, "Repeat the run, and report to the maintainers what its workload stated.") from None
    return text
