"""Rows of the list of runs, kept so that nobody has to read ten thousand records and results to make them again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

import apsw
from pydantic import ValidationError

from wattmark.runs.row import RunRow
from wattmark.storage.columns import checksum
from wattmark.storage.database import Database
from wattmark.storage.query import query

_MARKS = """SELECT run.run_id, crc FROM run LEFT JOIN run_row USING (run_id)
  WHERE run_id NOT IN (SELECT run_id FROM trash) ORDER BY created_ns, run_id"""
_TEXTS = "SELECT run_id, row FROM run_row WHERE run_id IN (SELECT value FROM json_each(?))"


class KeptRow(NamedTuple):
    """A row, and whether the build that asks has made it itself."""

    row: RunRow
    own: bool


class SqliteRunRowStore:
    """Keep rows with the build that made them; a change of a run's record or of what was stated throws its row away."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._read: dict[str, tuple[int, KeptRow | None]] = {}
        """What was read before, by its mark, so that only a row that changed is read again."""

    def all(self, build: str) -> dict[str, KeptRow | None]:
        """Read the row of every run that is not in the trash, oldest first; None where there is none to read."""
        with self._database.snapshot() as connection:
            marks = dict(query(connection, _MARKS))
            changed = [run_id for run_id, mark in marks.items() if mark is not None and not self._holds(run_id, mark)]
            texts = query(connection, _TEXTS, json.dumps(changed)) if changed else []
        self._read |= {
            run_id: (mark, _kept(run_id, text, build))
            for run_id, text in texts
            if (mark := marks[run_id]) is not None and _mark(text) == mark
        }
        return {run_id: self._read[run_id][1] if self._holds(run_id, mark) else None for run_id, mark in marks.items()}

    def _holds(self, run_id: str, mark: int | None) -> bool:
        return run_id in self._read and self._read[run_id][0] == mark

    def keep(self, rows: Iterable[RunRow], build: str, revision: int) -> None:
        """Keep rows that were made while ``revision`` stood. Nobody waits for it: what is lost is made again."""
        if self._database.read_only:
            return
        texts = [(row.run_id, f"{build}\n{row.model_dump_json()}") for row in rows]

        def insert(connection: apsw.Connection) -> None:
            if query(connection, "SELECT number FROM revision") == [(revision,)]:
                made = [(run_id, text, _mark(text)) for run_id, text in texts]
                connection.executemany("INSERT OR REPLACE INTO run_row VALUES (?, ?, ?)", made)

        self._database.submit(insert)


def _mark(text: str) -> int:
    """Tell a row that is damaged from one that holds."""
    return checksum(text.encode())


def _kept(run_id: str, text: str, build: str) -> KeptRow | None:
    """Read a row; None where a build made it whose rows say other things, and where it is another run's."""
    maker, _, document = text.partition("\n")
    try:
        row = RunRow.model_validate_json(document)
    except ValidationError:
        return None
    return KeptRow(row, maker == build) if row.run_id == run_id else None
