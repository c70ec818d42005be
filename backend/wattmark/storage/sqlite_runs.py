"""Run records and small documents on the one SQLite file: JSON, with columns for what is searched."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

import apsw
from pydantic import ValidationError

from wattmark.errors import StoreError
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.storage.database import Database
from wattmark.storage.query import query
from wattmark.uncollected import uncollected

_KEPT = "run_id NOT IN (SELECT run_id FROM trash)"
_BY_AGE = "ORDER BY created_ns, run_id"
_INTERRUPTED = "The process ended while this run was recording; its data up to then are kept. Repeat the run."


class SqliteRunStore:
    """Keep run records and documents; every change is on disk when the call returns."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._read: dict[str, tuple[str, RunRecord]] = {}
        """What was read before, so that only a text that changed is parsed again."""

    def put(self, run: RunRecord) -> None:
        """Insert or replace a run record; durable when it returns."""
        self._database.write(partial(_put, runs=[run]))

    def get(self, run_id: str) -> RunRecord | None:
        """Read one record; None where there is none."""
        found = self._records(f"WHERE run_id = ? AND {_KEPT}", run_id)
        return found[0] if found else None

    def all(self, workload: str | None = None) -> list[RunRecord]:
        """Read the records of a workload, or of all, oldest first."""
        chosen, values = ("", ()) if workload is None else ("workload = ? AND ", (workload,))
        return self._records(f"WHERE {chosen}{_KEPT} {_BY_AGE}", *values)

    def ids(self) -> list[str]:
        """List all runs, oldest first, without reading their records."""
        with self._database.snapshot() as connection:
            return [run_id for (run_id,) in query(connection, f"SELECT run_id FROM run WHERE {_KEPT} {_BY_AGE}")]  # noqa: S608

    def running(self) -> list[RunRecord]:
        """Read the records of runs that are recording, oldest first."""
        return self._records(f"WHERE status = ? AND {_KEPT} {_BY_AGE}", RunStatus.RUNNING.value)

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
        self._read.pop(run_id, None)

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
        """Read the runs of the trash, latest first, with the instant of their deletion [UTC ns]."""
        sql = "SELECT run_id, record, trashed_ns FROM run JOIN trash USING (run_id) ORDER BY trashed_ns DESC, run_id"
        with self._database.snapshot() as connection:
            rows = query(connection, sql)
        return [(self._record(run_id, text), trashed_ns) for run_id, text, trashed_ns in rows]

    def mark_interrupted(self) -> list[str]:
        """Set every run that is still "running" to "interrupted"; returns their ids. Called once at start."""
        broken = [
            run.model_copy(update={"status": RunStatus.INTERRUPTED, "reason": _INTERRUPTED})
            for run in self._records(f"WHERE status = ? {_BY_AGE}", RunStatus.RUNNING.value)
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

    def documents(self, kind: str) -> dict[str, dict[str, Any]]:
        """Read all documents of a kind by name."""
        with self._database.snapshot() as connection:
            rows = query(connection, "SELECT name, document FROM document WHERE kind = ? ORDER BY name", kind)
        return {name: self._parsed(f"Document {kind}/{name}", text) for name, text in rows}

    def _records(self, condition: str, *values: str) -> list[RunRecord]:
        with self._database.snapshot() as connection:
            rows = query(connection, f"SELECT run_id, record FROM run {condition}", *values)  # noqa: S608
        with uncollected():
            return [self._record(run_id, text) for run_id, text in rows]

    def _record(self, run_id: str, text: str) -> RunRecord:
        before, record = self._read.get(run_id, ("", None))
        if record is None or before != text:
            record = self._validated(run_id, text)
            self._read[run_id] = text, record
        return record

    def _validated(self, run_id: str, text: str) -> RunRecord:
        try:
            return RunRecord.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(step) for step in first["loc"])
            detail = f"{place}: {first['msg']}" if place else first["msg"]
            raise self._unreadable(f"Run {run_id}", detail) from error

    def _parsed(self, what: str, text: str) -> dict[str, Any]:
        try:
            document: dict[str, Any] = json.loads(text)
        except ValueError as error:
            raise self._unreadable(what, str(error)) from error
        return document

    def _unreadable(self, what: str, detail: str) -> StoreError:
        return StoreError(f"{what} in {self._database.path} cannot be read ({detail}).", "Delete it, or use a backup.")


def _put(connection: apsw.Connection, runs: Sequence[RunRecord]) -> None:
    connection.executemany("INSERT OR REPLACE INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?)", map(_row, runs))


def _row(run: RunRecord) -> tuple[str | int | None, ...]:
    head = run.run_id, run.created_ns, run.campaign_id, run.server, run.configuration, run.workload, run.status.value
    return *head, json.dumps(run.model_dump(mode="json"), ensure_ascii=False)
