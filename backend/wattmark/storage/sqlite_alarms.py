"""Alarms in the SQLite file."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from concurrent.futures import Future
from dataclasses import astuple, replace
from typing import Any, get_args

import apsw

from wattmark.alarms.record import AlarmEnd, AlarmRecord
from wattmark.alarms.store import KEPT_ALARMS
from wattmark.alarms.watch import Side
from wattmark.storage.database import Database
from wattmark.storage.guarded import Readable
from wattmark.storage.guarded_tables import ALARM
from wattmark.storage.query import query

_PUT = """
    INSERT INTO alarm VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET seen_ns = excluded.seen_ns, worst = excluded.worst, end_ns = excluded.end_ns,
      ended = excluded.ended, closed_ns = excluded.closed_ns
    WHERE ended IS NULL AND excluded.seen_ns >= seen_ns
"""
_THIN = "DELETE FROM alarm WHERE ended IS NOT NULL AND number <= (SELECT max(number) FROM alarm) - ?"


class SqliteAlarmStore:
    """Keep alarms; a state that arrives late, after a newer one, changes nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._readable = Readable(database.path)

    def put(self, alarms: Sequence[AlarmRecord]) -> Future[None]:
        """Queue new alarms and newer states of known ones; done when they are on disk."""
        rows = [astuple(one) for one in alarms]

        def write(connection: apsw.Connection) -> None:
            connection.executemany(_PUT, rows)
            query(connection, _THIN, KEPT_ALARMS)

        return self._database.submit(write)

    def before(self, number: int | None, limit: int) -> list[AlarmRecord]:
        """Read the newest alarms with a smaller number (None: of all), newest first; damaged ones are left out."""
        newest = "number IN (SELECT number FROM alarm WHERE number < ? ORDER BY number DESC LIMIT ?)"
        return self._read(newest, 2**62 if number is None else number, limit)[::-1]

    def between(self, sources: Collection[str], begin_ns: int, end_ns: int) -> list[AlarmRecord]:
        """Read the alarms of some sources that lasted into [begin, end], oldest first [UTC ns]."""
        lasting = "begin_ns <= ? AND (ended IS NULL OR coalesce(end_ns, seen_ns) >= ?)"
        return [one for one in self._read(lasting, end_ns, begin_ns) if one.source in sources]

    def going(self) -> list[AlarmRecord]:
        """Read the alarms that go on, oldest first."""
        return self._read("ended IS NULL")

    def last_number(self) -> int:
        """Tell the largest number; 0 before the first alarm."""
        with self._database.snapshot() as connection:
            ((number,),) = query(connection, "SELECT coalesce(max(number), 0) FROM alarm")
        return int(number)

    def _read(self, condition: str, *values: apsw.SQLiteValue) -> list[AlarmRecord]:
        with self._database.snapshot() as connection:
            rows = ALARM.rows(connection, condition, *values)
        return self._readable.read(rows, read_alarm)


def read_alarm(row: tuple[Any, ...]) -> AlarmRecord:
    """Read a row. Raises `ValueError` for one that is no alarm."""
    found = AlarmRecord(*row)
    if found.side not in get_args(Side) or not (math.isfinite(found.limit) and math.isfinite(found.worst)):
        raise ValueError("its side or one of its numbers is none")
    ended = None if found.ended is None else AlarmEnd(found.ended)
    return replace(found, run_must_keep=bool(found.run_must_keep), ended=ended)
