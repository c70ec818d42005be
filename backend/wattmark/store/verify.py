"""Read a whole database and report the parts that are not as written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw

from wattmark.store import chunks, live_rows, series_table
from wattmark.store.chunks import DamagedError
from wattmark.store.faults import REPORTED
from wattmark.store.guards.guarded import GuardedTable
from wattmark.store.layout import Layout
from wattmark.store.query import query

_MOST = 20
"""Number of damaged parts listed by name; one more line reports that there are others."""


def verify(path: Path, layout: Layout) -> list[str]:
    """List what is damaged in a database, one sentence each; empty when it is sound.

    Compares the checksum of every record, document, chunk and live row, counts both ways, and lets SQLite check its
    pages and indexes.
    Reads everything once: about a second for 500 MB.
    """
    problems: list[str] = []
    for problem in _problems(path, layout):
        if len(problems) == _MOST:
            return [*problems, "There is more damage."]
        problems.append(problem)
    return problems


def _problems(path: Path, layout: Layout) -> Iterator[str]:
    try:
        connection = apsw.Connection(
            f"{path.absolute().as_uri()}?mode=ro", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        )
    except REPORTED as error:
        yield f"The file cannot be opened: {error}."
        return
    try:
        yield from _guarded("The structure", _structure(connection))
        for table in layout.guarded:
            yield from _guarded(f"Table {table.name}", _rows(connection, table))
        yield from _guarded("The list of series", _series(connection))
    finally:
        connection.close()


def _guarded(subject: str, problems: Iterator[str]) -> Iterator[str]:
    try:
        yield from problems
    except REPORTED as error:
        yield f"{subject} cannot be read completely: {error}."


def _structure(connection: apsw.Connection) -> Iterator[str]:
    for (line,) in query(connection, f"PRAGMA integrity_check({_MOST})"):
        for problem in str(line).splitlines():
            if problem != "ok" and not problem.startswith("***"):
                yield f"SQLite: {problem}."


def _rows(connection: apsw.Connection, table: GuardedTable) -> Iterator[str]:
    for row in table.rows(connection):
        if not row.sound:
            yield f"{row.name} is damaged."
    for row in table.lost(connection):
        yield f"{row.name} is missing."


def _series(connection: apsw.Connection) -> Iterator[str]:
    runs = [run_id for (run_id,) in query(connection, "SELECT run_id FROM series_count ORDER BY run_id")]
    for run_id in runs:
        yield from _guarded(f"Run {run_id}", _run(connection, run_id))


def _run(connection: apsw.Connection, run_id: str) -> Iterator[str]:
    try:
        series = series_table.of_run(connection, run_id)
    except series_table.DisagreeError:
        yield f"The list of series of run {run_id} is damaged."
        return
    for number, key in series.items():
        name = f"{key.source} {key.channel} of run {run_id}"
        yield from _guarded(f"The rest of {name}", _chunks(connection, number, name))
    for row in live_rows.rows(connection, run_id):
        if not row.sound:
            yield f"Live row {row.id} of run {run_id} is damaged."


def _chunks(connection: apsw.Connection, number: int, name: str) -> Iterator[str]:
    try:
        for head in chunks.heads(connection, number):
            try:
                chunks.columns(connection, head).samples()
            except DamagedError:
                yield f"Chunk {head.k} of {name} is damaged."
    except DamagedError as error:
        yield f"Chunk {error.k} of {name} is damaged or missing."
