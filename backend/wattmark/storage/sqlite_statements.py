"""The stated versions of results in the SQLite file; triggers keep rows as they were written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import apsw
from pydantic import ValidationError

from wattmark.certificates.store import Stated, Statement
from wattmark.errors import EVALUATION_REMEDY, Conflict, EvaluationFailed
from wattmark.runs.record import first_mistake
from wattmark.runs.result import Result
from wattmark.storage.database import Database
from wattmark.storage.guarded import Readable, all_of, read_all
from wattmark.storage.guarded_tables import STATED_RESULT, STATEMENT
from wattmark.storage.query import query

_LATEST = """run_id IN (SELECT value FROM json_each(?))
  AND version = (SELECT max(version) FROM statement AS other WHERE other.run_id = statement.run_id)"""
_AT_ONCE = 250


class SqliteStatementStore:
    """Keep stated versions; every change is on disk when the call returns."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._readable = Readable(database.path)

    def add(self, stated: Stated, result: Result) -> None:
        """Add a version; durable when it returns.

        Raises `Conflict` where this version exists, and `EvaluationFailed` for a result that could not be read again.
        """
        key = result.run_id, stated.version
        rest = stated.stated_ns, stated.shelf_revision, stated.as_found, stated.by, stated.reason, stated.software
        document = _document(result)

        def insert(connection: apsw.Connection) -> None:
            if query(connection, "SELECT 1 FROM statement WHERE run_id = ? AND version = ?", *key):
                raise Conflict(
                    f"Version {stated.version} of the result of {result.run_id} was stated meanwhile.", "Try again."
                )
            query(connection, "INSERT INTO statement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *key, *rest, document)

        self._database.write(insert)

    def of(self, run_id: str) -> list[Statement]:
        """Read all versions of a result, oldest first. Raises `StoreError` naming one that cannot be read."""
        path = self._database.path
        with self._database.snapshot() as connection:
            stated = read_all(STATEMENT.of(connection, run_id), read_stated, path)
            results = read_all(STATED_RESULT.of(connection, run_id), read_result, path)
        return [Statement(rests_on, result) for (_, rests_on), result in zip(stated, results, strict=True)]

    def last(self, run_id: str) -> Stated | None:
        """Read what the latest version of a result rests on; None where it was never stated.

        Raises `StoreError` naming a version that is damaged.
        """
        with self._database.snapshot() as connection:
            rows = all_of(STATEMENT.of(connection, run_id), self._database.path)
        return Stated(*rows[-1][1:]) if rows else None

    def in_force(self, run_ids: Sequence[str] | None = None) -> dict[str, Stated]:
        """Read what the latest version of every stated result rests on, by run; runs with damaged ones are left out.

        ``run_ids`` restricts it to some runs.
        """
        chosen = ("true",) if run_ids is None else ("run_id IN (SELECT value FROM json_each(?))", json.dumps(run_ids))
        with self._database.snapshot() as connection:
            rows = STATEMENT.rows(connection, *chosen)
        sound = self._readable.of(rows)
        hurt = {row.key[0] for row in rows if not row.sound} if len(sound) < len(rows) else set()
        return {run_id: Stated(*stated) for run_id, *stated in sound if run_id not in hurt}

    def latest(self, run_ids: Sequence[str]) -> Iterator[Result]:
        """Read the latest stated results of some runs, a few at a time: the text of all of them is 9 kB each.

        Those that cannot be read are left out.
        """
        for first in range(0, len(run_ids), _AT_ONCE):
            some = run_ids[first : first + _AT_ONCE]
            with self._database.snapshot() as connection:
                rows = [row for row in STATED_RESULT.rows(connection, _LATEST, json.dumps(some)) if row.key[0] in some]
            yield from self._readable.read(rows, read_result)

    def delete(self, run_id: str) -> None:
        """Delete the versions of a run that is deleted with its samples."""
        self._database.write(lambda connection: query(connection, "DELETE FROM statement WHERE run_id = ?", run_id))


def _document(result: Result) -> str:
    """Write a result so that it can be read again as it was."""
    text = result.model_dump_json()
    try:
        detail = "" if Result.model_validate_json(text) == result else "a figure in it is not finite"
    except ValidationError as error:
        detail = first_mistake(error)
    if detail:
        cause = f"The result of run {result.run_id} was not stated: it could not be read again ({detail})."
        raise EvaluationFailed(cause, EVALUATION_REMEDY)
    return text


def read_result(row: tuple[Any, ...]) -> Result:
    """Read a stated result. Raises `ValueError` for one that is none, or that is of another run."""
    run_id, _, text = row
    result = Result.model_validate_json(text)
    if result.run_id != run_id:
        raise ValueError(f"it is of run {result.run_id[:80]!r}")
    return result


def read_stated(row: tuple[Any, ...]) -> tuple[str, Stated]:
    """Read a run and what a version of its result rests on."""
    run_id, *rests_on = row
    return run_id, Stated(*rests_on)
