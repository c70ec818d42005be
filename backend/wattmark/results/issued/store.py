"""The issued versions of results in the SQLite file; triggers refuse changes of rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import apsw
from pydantic import ValidationError

from wattmark.core.errors import EVALUATION_REMEDY, Conflict, EvaluationFailed
from wattmark.core.validation import first_mistake
from wattmark.results.issued.issued_result import Issue, IssuedResult
from wattmark.results.issued.row_store import write_row
from wattmark.results.result import Result
from wattmark.runs.store import RUN, read_record
from wattmark.store.database import Database
from wattmark.store.guards.guarded import REFUSED, GuardedTable, Readable, Reader, all_of, read_all
from wattmark.store.query import query

_LATEST = """run_id IN (SELECT value FROM json_each(?))
  AND version = (SELECT max(version) FROM issue AS other WHERE other.run_id = issued_result.run_id)"""
_AT_ONCE = 250


def read_result(row: tuple[Any, ...]) -> Result:
    """Parse a row with an issued result. Raises `ValueError` for an invalid one, or one of another run."""
    run_id, _, text = row
    result = Result.model_validate_json(text)
    if result.run_id != run_id:
        raise ValueError(f"it belongs to run {result.run_id[:80]!r}")
    return result


def read_issue(row: tuple[Any, ...]) -> tuple[str, Issue]:
    """Parse a row into the id of a run and the basis of a version of its result."""
    run_id, *rests_on = row
    return run_id, Issue(*rests_on)


ISSUE = GuardedTable(
    name="issue",
    row_name="Version {1} of what was issued of run {0}",
    key=("run_id", "version"),
    columns={
        "run_id": "TEXT",
        "version": "INTEGER",
        "issued_ns": "INTEGER NOT NULL",
        "register_revision": "INTEGER NOT NULL",
        "as_found": "TEXT",
        "signed_by": "TEXT",
        "reason": "TEXT NOT NULL",
        "software": "TEXT NOT NULL",
    },
    reader=read_issue,
    never_updated="issued results never change",
)
ISSUED_RESULT = GuardedTable(
    name="issued_result",
    row_name="Version {1} of the issued result of run {0}",
    key=("run_id", "version"),
    columns={"run_id": "TEXT", "version": "INTEGER", "result": "TEXT NOT NULL"},
    reader=read_result,
    never_updated="issued results never change",
)
"""Apart from the certificates it uses, which every list reads: a result is 9 kB of text."""
TABLES = ISSUE, ISSUED_RESULT


class IssuedResultStore:
    """Keep the issued versions of results; none is ever overwritten, and each is on disk when the call returns."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._readable = Readable(database.path)

    def add(self, issue: Issue, result: Result) -> None:
        """Add a version; durable when it returns.

        Raises `Conflict` where this version exists, and `EvaluationFailed` for a result that could not be read again.
        """
        key = result.run_id, issue.version
        rest = issue.issued_ns, issue.register_revision, issue.as_found, issue.by, issue.reason, issue.software
        document = _document(result)

        def insert(connection: apsw.Connection) -> None:
            if query(connection, "SELECT 1 FROM issue WHERE run_id = ? AND version = ?", *key):
                raise Conflict(
                    f"Version {issue.version} of the result of {result.run_id} was issued in the meantime.",
                    "Try again.",
                )
            query(connection, "INSERT INTO issued_result VALUES (?, ?, ?)", *key, document)
            query(connection, "INSERT INTO issue VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *key, *rest)
            _refresh(connection, result.run_id)

        self._database.write(insert)

    def refresh(self, run_ids: Sequence[str]) -> None:
        """Rewrite the rows of issued results after the records of their runs changed."""

        def rewrite(connection: apsw.Connection) -> None:
            for run_id in run_ids:
                _refresh(connection, run_id)

        self._database.write(rewrite)

    def of(self, run_id: str) -> list[IssuedResult]:
        """Read all versions of a result, oldest first. Raises `StoreError` naming one that cannot be read."""
        path = self._database.path
        with self._database.snapshot() as connection:
            issues = read_all(ISSUE.of(connection, run_id), read_issue, path)
            results = read_all(ISSUED_RESULT.of(connection, run_id), read_result, path)
        return [IssuedResult(rests_on, result) for (_, rests_on), result in zip(issues, results, strict=True)]

    def last(self, run_id: str) -> Issue | None:
        """Read the basis of the latest version of a result; None where it was never issued.

        Raises `StoreError` naming a version that is damaged.
        """
        with self._database.snapshot() as connection:
            rows = all_of(ISSUE.of(connection, run_id), self._database.path)
        return Issue(*rows[-1][1:]) if rows else None

    def in_force(self, run_ids: Sequence[str] | None = None) -> dict[str, Issue]:
        """Read the basis of the latest version of every issued result, by run; runs with damaged ones are excluded.

        ``run_ids`` restricts it to some runs.
        """
        chosen = ("true",) if run_ids is None else ("run_id IN (SELECT value FROM json_each(?))", json.dumps(run_ids))
        with self._database.snapshot() as connection:
            rows = ISSUE.rows(connection, *chosen)
        sound = self._readable.of(rows)
        hurt = {row.key[0] for row in rows if not row.sound} if len(sound) < len(rows) else set()
        return {run_id: Issue(*issue) for run_id, *issue in sound if run_id not in hurt}

    def latest(self, run_ids: Sequence[str]) -> Iterator[Result]:
        """Read the latest issued results of some runs, a few at a time: the text of all of them is 9 kB each.

        Those that cannot be read are excluded.
        """
        for first in range(0, len(run_ids), _AT_ONCE):
            some = run_ids[first : first + _AT_ONCE]
            with self._database.snapshot() as connection:
                rows = [row for row in ISSUED_RESULT.rows(connection, _LATEST, json.dumps(some)) if row.key[0] in some]
            yield from self._readable.read(rows, read_result)

    def delete(self, run_id: str) -> None:
        """Delete the versions of a run that is deleted with its samples."""

        def forget(connection: apsw.Connection) -> None:
            query(connection, "DELETE FROM issued_result WHERE run_id = ?", run_id)
            query(connection, "DELETE FROM issue WHERE run_id = ?", run_id)

        self._database.write(forget)


def _refresh(connection: apsw.Connection, run_id: str) -> None:
    """Write the rows of a run's latest version; none where that, or the record of the run, cannot be read."""
    readable: list[Any] = []
    readers: tuple[tuple[GuardedTable, Reader[Any]], ...] = (
        (RUN, read_record),
        (ISSUE, read_issue),
        (ISSUED_RESULT, read_result),
    )
    for table, reader in readers:
        rows = table.of(connection, run_id)
        if not rows or rows[-1].values is None or not all(row.sound for row in rows):
            return
        try:
            readable.append(reader(rows[-1].values))
        except REFUSED:
            return
    run, (_, issue), result = readable
    write_row(connection, run, issue, result)


def _document(result: Result) -> str:
    """Encode a result as JSON that reads back equal. Raises `EvaluationFailed`."""
    text = result.model_dump_json()
    try:
        detail = "" if Result.model_validate_json(text) == result else "a figure in it is not finite"
    except ValidationError as error:
        detail = first_mistake(error)
    if detail:
        cause = f"The result of run {result.run_id} was not issued: it could not be read again ({detail})."
        raise EvaluationFailed(cause, EVALUATION_REMEDY)
    return text
