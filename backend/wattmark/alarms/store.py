"""Alarms in the SQLite file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from concurrent.futures import Future
from typing import Any

import apsw

from wattmark.runs.alarms import Alarm
from wattmark.store.database import Database
from wattmark.store.guards.guarded import GuardedTable, Readable
from wattmark.store.query import query

KEPT_ALARMS = 10_000
"""Alarms kept; older ended ones are dropped. About 3 MB."""

_PUT = """
    INSERT INTO alarm VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET seen_ns = excluded.seen_ns, worst = excluded.worst, end_ns = excluded.end_ns,
      ended = excluded.ended, closed_ns = excluded.closed_ns
    WHERE ended IS NULL AND excluded.seen_ns >= seen_ns
"""
_THIN = "DELETE FROM alarm WHERE ended IS NOT NULL AND number <= (SELECT max(number) FROM alarm) - ?"


def read_alarm(row: tuple[Any, ...]) -> Alarm:
    """Read a row. Raises `ValueError` for one that is not an alarm."""
    return Alarm.model_validate(dict(zip(Alarm.model_fields, row, strict=True)))


ALARM = GuardedTable(
    name="alarm",
    row_name="Alarm {0}",
    key=("number",),
    columns={
        "number": "INTEGER",
        "source": "TEXT NOT NULL",
        "channel": "TEXT NOT NULL",
        "side": "TEXT NOT NULL",
        "limit_at": "REAL NOT NULL",
        "unit": "TEXT NOT NULL",
        "run_must_keep": "INTEGER NOT NULL",
        "begin_ns": "INTEGER NOT NULL",
        "seen_ns": "INTEGER NOT NULL",
        "worst": "REAL NOT NULL",
        "end_ns": "INTEGER",
        "ended": "TEXT",
        "closed_ns": "INTEGER",
        "simulated": "INTEGER NOT NULL",
    },
    rowid=True,
    reader=read_alarm,
)
TABLES = (ALARM,)


class AlarmStore:
    """Keep alarms. One that is over never changes; a state that arrives after a newer one changes nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._readable = Readable(database.path)

    def put(self, alarms: Sequence[Alarm]) -> Future[None]:
        """Queue new alarms and newer states of known ones; done when they are on disk."""
        rows = [tuple(dict(alarm).values()) for alarm in alarms]

        def write(connection: apsw.Connection) -> None:
            connection.executemany(_PUT, rows)
            query(connection, _THIN, KEPT_ALARMS)

        return self._database.submit(write)

    def before(self, number: int | None, limit: int) -> list[Alarm]:
        """Read the newest alarms with a smaller number (None: of all), newest first; damaged ones are excluded."""
        newest = "number IN (SELECT number FROM alarm WHERE number < ? ORDER BY number DESC LIMIT ?)"
        return self._read(newest, 2**62 if number is None else number, limit)[::-1]

    def between(self, sources: Collection[str], begin_ns: int, end_ns: int) -> list[Alarm]:
        """Read the alarms of some sources that lasted into [begin, end], oldest first [UTC ns]."""
        lasting = "begin_ns <= ? AND (ended IS NULL OR coalesce(end_ns, seen_ns) >= ?)"
        return [alarm for alarm in self._read(lasting, end_ns, begin_ns) if alarm.source in sources]

    def going(self) -> list[Alarm]:
        """Read the open alarms, oldest first."""
        return self._read("ended IS NULL")

    def last_number(self) -> int:
        """Return the largest number; 0 before the first alarm."""
        with self._database.snapshot() as connection:
            ((number,),) = query(connection, "SELECT coalesce(max(number), 0) FROM alarm")
        return int(number)

    def _read(self, condition: str, *values: apsw.SQLiteValue) -> list[Alarm]:
        with self._database.snapshot() as connection:
            rows = ALARM.rows(connection, condition, *values)
        return self._readable.read(rows, read_alarm)
