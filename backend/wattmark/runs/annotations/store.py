"""Tags, notes and choices to rank runs in the SQLite file."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from typing import Any

import apsw
from pydantic import TypeAdapter

from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.annotations.inclusion import Choice, Inclusion, joined
from wattmark.store.database import Database
from wattmark.store.guards.guarded import GuardedTable, Readable
from wattmark.store.query import query

_CHOICES = TypeAdapter(tuple[Choice, ...])


def read_inclusion(row: tuple[Any, ...]) -> tuple[str, Inclusion]:
    """Read a run and the choice about it. Raises `ValueError` for an invalid choice."""
    run_id, by, reason, rules, day, beside = row
    return run_id, Inclusion(
        by=by, reason=reason, rules=tuple(json.loads(rules)), at=day, beside=_CHOICES.validate_json(beside)
    )


TAG = GuardedTable(
    name="run_tag",
    row_name="Tag {1} of run {0}",
    key=("run_id", "tag"),
    columns={"run_id": "TEXT", "tag": "TEXT"},
)
NOTE = GuardedTable(
    name="run_note",
    row_name="The note of run {0}",
    key=("run_id",),
    columns={"run_id": "TEXT", "note": "TEXT NOT NULL"},
)
INCLUSION = GuardedTable(
    name="run_inclusion",
    row_name="The ranking override of run {0}",
    key=("run_id",),
    columns={
        "run_id": "TEXT",
        "signed_by": "TEXT NOT NULL",
        "reason": "TEXT NOT NULL",
        "rules": "TEXT NOT NULL",
        "decided": "TEXT NOT NULL",
        "beside": "TEXT NOT NULL",
    },
    reader=read_inclusion,
)
TABLES = TAG, NOTE, INCLUSION


class AnnotationStore:
    """Keep tags, notes and choices to rank runs; every change is on disk when the call returns."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._readable = Readable(database.path)

    def all(self) -> dict[str, Annotation]:
        """Read all annotations by run; runs without any are omitted, and so are damaged ones."""
        with self._database.snapshot() as connection:
            tagged, noted = TAG.rows(connection), NOTE.rows(connection)
        notes, chosen = dict(self._readable.of(noted)), self.inclusions()
        tags: dict[str, list[str]] = defaultdict(list)
        for run_id, tag in self._readable.of(tagged):
            tags[run_id].append(tag)
        return {
            run_id: Annotation(
                tags=tuple(tags.get(run_id, ())), note=notes.get(run_id, ""), inclusion=chosen.get(run_id)
            )
            for run_id in {*tags, *notes, *chosen}
        }

    def inclusions(self) -> dict[str, Inclusion]:
        """Read people's choices to rank runs although rules failed, by run; damaged ones are excluded."""
        with self._database.snapshot() as connection:
            rows = INCLUSION.rows(connection)
        return dict(self._readable.read(rows, read_inclusion))

    def tag(self, run_ids: Sequence[str], add: Sequence[str], remove: Sequence[str]) -> None:
        """Remove tags from runs, then add others; tags already added or removed stay so."""

        def change(connection: apsw.Connection) -> None:
            connection.executemany("DELETE FROM run_tag WHERE run_id = ? AND tag = ?", product(run_ids, remove))
            connection.executemany("INSERT OR IGNORE INTO run_tag VALUES (?, ?)", product(run_ids, add))

        self._database.write(change)

    def write_note(self, run_id: str, note: str) -> None:
        """Replace the note of a run; an empty one is removed."""
        sql = "INSERT OR REPLACE INTO run_note VALUES (?, ?)" if note else "DELETE FROM run_note WHERE run_id = ?"
        values = (run_id, note) if note else (run_id,)
        self._database.write(lambda connection: query(connection, sql, *values))

    def include(self, run_id: str, inclusion: Inclusion) -> Inclusion:
        """Add a choice about a run; earlier ones stay, except for its rules. Return all of them."""

        def change(connection: apsw.Connection) -> Inclusion:
            earlier = dict(self._readable.read(INCLUSION.rows(connection), read_inclusion)).get(run_id)
            together = inclusion if earlier is None else joined(earlier, inclusion)
            query(connection, "DELETE FROM run_inclusion WHERE run_id = ?", run_id)
            values = (together.by, together.reason, json.dumps(together.rules), together.at)
            others = json.dumps([choice.model_dump() for choice in together.beside])
            query(connection, "INSERT INTO run_inclusion VALUES (?, ?, ?, ?, ?, ?)", run_id, *values, others)
            return together

        return self._database.write(change)

    def exclude(self, run_id: str) -> None:
        """Withdraw all choices about a run."""
        self._database.write(lambda connection: query(connection, "DELETE FROM run_inclusion WHERE run_id = ?", run_id))

    def delete(self, run_id: str) -> None:
        """Delete the annotations of a run."""

        def forget(connection: apsw.Connection) -> None:
            query(connection, "DELETE FROM run_tag WHERE run_id = ?", run_id)
            query(connection, "DELETE FROM run_note WHERE run_id = ?", run_id)
            query(connection, "DELETE FROM run_inclusion WHERE run_id = ?", run_id)

        self._database.write(forget)
