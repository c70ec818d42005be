"""The outbox on the one SQLite file: what each target has acknowledged, as positions."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial

import apsw

from wattmark.store.database import Database
from wattmark.store.guards.guarded import GuardedTable
from wattmark.store.outbox import outbox_read
from wattmark.store.outbox.outbox_seal import SENT_LIVE, SINK, UNSENT
from wattmark.store.outbox.outbox_types import (
    LiveMark,
    Mark,
    OutboxLoad,
    OutboxState,
    RefusedLine,
    RunToSend,
    SealedMark,
)
from wattmark.store.query import query
from wattmark.store.table import StoredTable

_log = logging.getLogger(__name__)

UNSENT_RUN = GuardedTable(
    name="unsent_run",
    row_name="Whether sink {0} lacks the record of run {1}",
    key=("sink_id", "run_id"),
    columns={
        "sink_id": "INTEGER REFERENCES sink(id)",
        "run_id": "TEXT",
        "edition": "INTEGER NOT NULL DEFAULT 1",
    },
    also="""
    CREATE TRIGGER run_to_sinks AFTER INSERT ON run BEGIN
      INSERT INTO unsent_run(sink_id, run_id) SELECT id, new.run_id FROM sink WHERE true
        ON CONFLICT DO UPDATE SET edition = edition + 1;
    END;
    CREATE TRIGGER issue_to_sinks AFTER INSERT ON issue BEGIN
      INSERT INTO unsent_run(sink_id, run_id) SELECT id, new.run_id FROM sink WHERE true
        ON CONFLICT DO UPDATE SET edition = edition + 1;
    END;
    CREATE TRIGGER run_leaves_sinks AFTER DELETE ON run BEGIN
      DELETE FROM unsent_run WHERE run_id = old.run_id;
    END;
    """,
)
REFUSED_POINT = StoredTable(
    name="refused_point",
    key=("id",),
    columns={
        "id": "INTEGER",
        "sink_id": "INTEGER NOT NULL REFERENCES sink(id)",
        "at_ns": "INTEGER NOT NULL",
        "line": "TEXT NOT NULL",
        "reason": "TEXT NOT NULL",
    },
    rowid=True,
)
TABLES = UNSENT_RUN, REFUSED_POINT
_POSITIONS = UNSENT, SENT_LIVE, UNSENT_RUN

KEPT_REFUSED = 1000
"""Refused lines that are kept with their text; further ones are only counted."""

_ALL_SERIES = """INSERT INTO unsent SELECT ?, series_id, 0, sum(n) FROM chunk WHERE true GROUP BY series_id
                 ON CONFLICT DO UPDATE SET first = 0, sealed = excluded.sealed"""
_NOT_THINNED = """DELETE FROM unsent WHERE sink_id = ? AND series_id IN (
                    SELECT series.id FROM series JOIN run USING(run_id)
                    WHERE json_extract(record, '$.disclosure.thinned') IS NOT NULL)"""
_ALL_RUNS = """INSERT INTO unsent_run(sink_id, run_id) SELECT ?, run_id FROM run WHERE true
               ON CONFLICT DO UPDATE SET edition = edition + 1"""
_STATE = """
    SELECT sink.id, target,
      (SELECT coalesce(sum(sealed - first), 0) FROM unsent WHERE sink_id = sink.id)
        + (SELECT coalesce(sum(n), 0) FROM live_row
           LEFT JOIN sent_live ON sent_live.sink_id = sink.id AND sent_live.run_id = live_row.run_id
           WHERE live_row.id > coalesce(live_row_id, 0)),
      (SELECT count(*) FROM unsent_run WHERE sink_id = sink.id AND run_id NOT IN (SELECT run_id FROM trash)),
      acknowledged, acknowledged_ns, refused, problem, remedy, problem_ns
    FROM sink"""
_NEXT_RUNS = """SELECT run_id, edition FROM unsent_run
               WHERE sink_id = ? AND run_id NOT IN (SELECT run_id FROM trash) LIMIT ?"""
_STILL_LIVE = "SELECT 1 FROM live_row WHERE id = ? AND run_id = ? AND crc = ?"
_SENT_LIVE = "INSERT INTO sent_live VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET live_row_id = excluded.live_row_id"
_COUNTED = """UPDATE sink SET acknowledged = acknowledged + ?, acknowledged_ns = ?, refused = refused + ?,
              problem = NULL, remedy = NULL, problem_ns = NULL WHERE id = ?"""
_SPARE = "DELETE FROM refused_point WHERE sink_id = ? AND id <= (SELECT max(id) FROM refused_point) - ?"


class Outbox:
    """Remember what one target has acknowledged; a target that is new here is to get everything.

    Safe to ask from several threads; one sends.
    """

    def __init__(self, database: Database, target: str) -> None:
        self._database = database
        self._id = database.write(partial(_register, target=target))

    def take(self, limit: int) -> OutboxLoad | None:
        """Read the next samples, about ``limit`` of them; None when everything recorded is acknowledged.

        Sealed samples come first, then live ones, so that the samples of a run are sent in order.
        """
        with self._database.snapshot() as connection:
            return outbox_read.sealed(connection, self._id, limit) or outbox_read.live(connection, self._id, limit)

    def acknowledge(self, load: OutboxLoad, at_ns: int, refused: Sequence[RefusedLine] = ()) -> None:
        """Move the positions past a load that the target has or permanently refuses; durable when it returns."""
        self._database.write(partial(_acknowledge, sink_id=self._id, load=load, at_ns=at_ns, refused=refused))

    def take_runs(self, limit: int = 1) -> list[RunToSend]:
        """Return the next runs whose records are to be sent, ``limit`` at most. Runs in the trash wait."""
        with self._database.snapshot() as connection:
            return [RunToSend(*row) for row in query(connection, _NEXT_RUNS, self._id, limit)]

    def acknowledge_runs(self, runs: Sequence[RunToSend], at_ns: int, refused: Sequence[RefusedLine] = ()) -> None:
        """Record that the target has these editions of the records of runs; newer ones stay queued."""

        def note(connection: apsw.Connection) -> None:
            sql = "DELETE FROM unsent_run WHERE sink_id = ? AND run_id = ? AND edition = ?"
            for run in runs:
                query(connection, sql, self._id, run.run_id, run.edition)
            _count(connection, self._id, 0, at_ns, refused)

        self._database.write(note)

    def note_problem(self, problem: str, remedy: str, at_ns: int) -> None:
        """Record the reason why sending fails."""
        sql = "UPDATE sink SET problem = ?, remedy = ?, problem_ns = ? WHERE id = ?"
        self._database.write(lambda connection: query(connection, sql, problem, remedy, at_ns, self._id))

    def send_again(self) -> None:
        """Reset the positions: everything recorded is to be sent again, except runs thinned here since.

        The target has their raw samples, which means of a second would replace in part.
        """

        def begin(connection: apsw.Connection) -> None:
            _everything(connection, self._id)
            query(connection, _NOT_THINNED, self._id)

        self._database.write(begin)

    def state(self) -> OutboxState:
        """Return the state of the sink."""
        with self._database.snapshot() as connection:
            ((_, *state),) = query(connection, f"{_STATE} WHERE id = ?", self._id)
        return OutboxState(*state)

    def refused(self, limit: int = 100) -> list[RefusedLine]:
        """Read the latest refused lines, newest first."""
        with self._database.snapshot() as connection:
            return _refused(connection, self._id, limit)


def outbox_states(database: Database, most_refused: int = 20) -> list[tuple[OutboxState, list[RefusedLine]]]:
    """List the state of every sink that was ever used, with its latest refused lines."""
    with database.snapshot() as connection:
        rows = query(connection, f"{_STATE} ORDER BY id")
        return [(OutboxState(*row), _refused(connection, sink_id, most_refused)) for sink_id, *row in rows]


def _refused(connection: apsw.Connection, sink_id: int, limit: int) -> list[RefusedLine]:
    sql = "SELECT line, reason FROM refused_point WHERE sink_id = ? ORDER BY id DESC LIMIT ?"
    return [RefusedLine(*row) for row in query(connection, sql, sink_id, limit)]


def _register(connection: apsw.Connection, target: str) -> int:
    rows = query(connection, "SELECT id FROM sink WHERE target = ?", target)
    if not rows:
        rows = query(connection, "INSERT INTO sink(target) VALUES (?) RETURNING id", target)
        _everything(connection, rows[0][0])
    elif _damaged(connection, rows[0][0]):
        _log.error("The record of what %s has acknowledged is damaged: everything is sent again.", target)
        _forget(connection, rows[0][0])
        _everything(connection, rows[0][0])
    return int(rows[0][0])


def _damaged(connection: apsw.Connection, sink_id: int) -> bool:
    """Return whether a position of a sink is damaged or lost."""
    rows = (row for table in (SINK, *_POSITIONS) for row in [*table.of(connection, sink_id), *table.lost(connection)])
    return any(row.key[0] == sink_id and not row.sound for row in rows)


def _forget(connection: apsw.Connection, sink_id: int) -> None:
    for table in _POSITIONS:
        query(connection, f"DELETE FROM {table.name} WHERE sink_id = ?", sink_id)  # noqa: S608
        table.forget_lost(connection)
    sql = "UPDATE sink SET acknowledged_ns = NULL, problem = NULL, remedy = NULL, problem_ns = NULL WHERE id = ?"
    query(connection, sql, sink_id)


def _everything(connection: apsw.Connection, sink_id: int) -> None:
    query(connection, _ALL_SERIES, sink_id)
    query(connection, _ALL_RUNS, sink_id)
    query(connection, "DELETE FROM sent_live WHERE sink_id = ?", sink_id)
    query(connection, "DELETE FROM refused_point WHERE sink_id = ?", sink_id)
    query(connection, "UPDATE sink SET acknowledged = 0, refused = 0 WHERE id = ?", sink_id)


def _acknowledge(
    connection: apsw.Connection, sink_id: int, load: OutboxLoad, at_ns: int, refused: Sequence[RefusedLine]
) -> None:
    for mark in load.marks:
        _move(connection, sink_id, mark)
    lost = [RefusedLine(where, "damaged: its checksum does not match") for where in load.damaged]
    _count(connection, sink_id, load.samples - len(refused), at_ns, [*refused, *lost])


def _move(connection: apsw.Connection, sink_id: int, mark: Mark) -> None:
    """Move one position, unless sealing has moved it since the load was read."""
    match mark:
        case SealedMark(series_id, first, next_):
            sql = "UPDATE unsent SET first = ? WHERE sink_id = ? AND series_id = ? AND first = ?"
            query(connection, sql, next_, sink_id, series_id, first)
            sql = "DELETE FROM unsent WHERE sink_id = ? AND series_id = ? AND first >= sealed"
            query(connection, sql, sink_id, series_id)
        case LiveMark(run_id, live_row_id, crc):
            if query(connection, _STILL_LIVE, live_row_id, run_id, crc):
                query(connection, _SENT_LIVE, sink_id, run_id, live_row_id)


def _count(connection: apsw.Connection, sink_id: int, samples: int, at_ns: int, refused: Sequence[RefusedLine]) -> None:
    query(connection, _COUNTED, samples, at_ns, len(refused), sink_id)
    for line in refused[-KEPT_REFUSED:]:
        sql = "INSERT INTO refused_point(sink_id, at_ns, line, reason) VALUES (?, ?, ?, ?)"
        query(connection, sql, sink_id, at_ns, line.line, line.reason)
    if refused:
        query(connection, _SPARE, sink_id, KEPT_REFUSED)
