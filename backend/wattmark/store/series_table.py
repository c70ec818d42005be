"""The series of all runs: their identity and their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, fields
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import StoreError
from wattmark.store.query import query
from wattmark.store.sample_store import SeriesKey
from wattmark.store.table import StoredTable

_NAMES = [field.name for field in fields(SeriesKey)]
_COLUMNS = ", ".join(_NAMES)
_HOLES = ", ".join("?" * len(_NAMES))
_NUMBER_BYTES = 8

SERIES = StoredTable(
    name="series",
    key=("id",),
    columns={
        "id": "INTEGER",
        "run_id": "TEXT NOT NULL",
        "server": "TEXT NOT NULL",
        "source": "TEXT NOT NULL",
        "channel": "TEXT NOT NULL",
        "quantity": "TEXT NOT NULL",
        "unit": "TEXT NOT NULL",
        "kind": "TEXT NOT NULL",
        "range": "TEXT NOT NULL",
        "label": "TEXT NOT NULL",
        "simulated": "INTEGER NOT NULL",
    },
    constraints=(f"UNIQUE({_COLUMNS})",),
    rowid=True,
)
SERIES_COUNT = StoredTable(
    name="series_count",
    key=("run_id",),
    columns={"run_id": "TEXT", "n": "INTEGER NOT NULL"},
    also="""
    CREATE TRIGGER series_comes AFTER INSERT ON series BEGIN
      INSERT INTO series_count VALUES (new.run_id, 1) ON CONFLICT DO UPDATE SET n = n + 1;
    END;
    CREATE TRIGGER series_goes AFTER DELETE ON series BEGIN
      UPDATE series_count SET n = n - 1 WHERE run_id = old.run_id;
      DELETE FROM series_count WHERE run_id = old.run_id AND n = 0;
    END;
    """,
)
"""Number of series of a run, so that a lost one is detected."""
TABLES = SERIES, SERIES_COUNT


class DisagreeError(Exception):
    """The table of series and its index disagree: one of them is damaged."""


def find(connection: apsw.Connection, series_id: int) -> SeriesKey:
    """Read the identity of a series. Raises `StoreError` where there is none."""
    rows = query(connection, f"SELECT {_COLUMNS} FROM series WHERE id = ?", series_id)  # noqa: S608
    if not rows:
        raise StoreError(f"There is no series {series_id}.", "Its run was deleted; load the page again.")
    return _key(rows[0])


def verified(connection: apsw.Connection, series_id: int) -> SeriesKey:
    """Read the identity of a series and check it against the index. Raises `DisagreeError`."""
    key = find(connection, series_id)
    sql = f"SELECT id FROM series WHERE ({_COLUMNS}) = ({_HOLES})"  # noqa: S608
    if query(connection, sql, *astuple(key)) != [(series_id,)]:
        raise DisagreeError
    return key


def only_run(connection: apsw.Connection, numbers: bytes) -> str | None:
    """Find the run to which all these series belong; None where there are several, or a number is unknown.

    The numbers are 64-bit integers, end to end.
    """
    sql = "SELECT min(run_id), max(run_id), count(*) FROM carray(?) CROSS JOIN series ON series.id = value"
    ((first, last, count),) = query(connection, sql, apsw.carray(numbers, flags=apsw.SQLITE_CARRAY_INT64))
    return str(first) if count * _NUMBER_BYTES == len(numbers) and first == last else None


def runs_of(connection: apsw.Connection, numbers: NDArray[np.int64]) -> dict[int, str]:
    """Read which run each series belongs to. Raises `StoreError` where there is none of that number."""
    run_of = dict(
        query(connection, "SELECT id, run_id FROM series WHERE id IN carray(?)", apsw.carray(np.array(numbers)))
    )
    wanted = set(numbers.tolist())
    if len(run_of) != len(wanted):
        for number in wanted:
            find(connection, number)
    return run_of


def number_of(connection: apsw.Connection, key: SeriesKey) -> tuple[int, bool]:
    """Find or create a series; return its number and whether it is new."""
    values = astuple(key)
    query(connection, f"INSERT OR IGNORE INTO series({_COLUMNS}) VALUES ({_HOLES})", *values)  # noqa: S608
    new = connection.changes() > 0
    ((number,),) = query(connection, f"SELECT id FROM series WHERE ({_COLUMNS}) = ({_HOLES})", *values)  # noqa: S608
    return int(number), new


def of_run(connection: apsw.Connection, run_id: str) -> dict[int, SeriesKey]:
    """List the series of a run by number, oldest first; from the table where the index lost some.

    Raises `DisagreeError` where index and table disagree about a series, or both lack one that was counted.
    """
    rows = query(connection, f"SELECT id, {_COLUMNS} FROM series WHERE run_id = ? ORDER BY id", run_id)  # noqa: S608
    counted = query(connection, "SELECT n FROM series_count WHERE run_id = ?", run_id)
    if counted and len(rows) < counted[0][0]:
        rows = _scanned(connection, run_id, counted[0][0])
    elif not all(_stands(connection, row) for row in rows):
        raise DisagreeError
    return {number: _key(values) for number, *values in rows}


def _stands(connection: apsw.Connection, row: tuple[Any, ...]) -> bool:
    """Return whether table and index agree on a series; most queries read the index alone."""
    return query(connection, f"SELECT id, {_COLUMNS} FROM series WHERE id = ?", row[0]) == [row]  # noqa: S608


def _scanned(connection: apsw.Connection, run_id: str, counted: int) -> list[tuple[Any, ...]]:
    """Read the series of a run from the table, without its index."""
    sql = f"SELECT id, {_COLUMNS} FROM series NOT INDEXED WHERE run_id = ? ORDER BY id"  # noqa: S608
    rows = query(connection, sql, run_id)
    if len(rows) != counted:
        raise DisagreeError
    return rows


def delete(connection: apsw.Connection, run_id: str) -> None:
    """Delete the series of a run; nothing may refer to them any more."""
    query(connection, "DELETE FROM series WHERE run_id = ?", run_id)


def _key(values: Sequence[Any]) -> SeriesKey:
    named = dict(zip(_NAMES, values, strict=True))
    return SeriesKey(**{**named, "simulated": bool(named["simulated"])})
