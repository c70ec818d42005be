"""The positions of sinks in the series, kept true while live rows become chunks, in the transaction that seals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw
import numpy as np
from numpy.typing import NDArray

from wattmark.store import chunks
from wattmark.store.guards.guarded import GuardedTable
from wattmark.store.query import query
from wattmark.store.sample_store import Samples

SINK = GuardedTable(
    name="sink",
    row_name="The state of sink {0}",
    key=("id",),
    columns={
        "id": "INTEGER",
        "target": "TEXT NOT NULL UNIQUE",
        "acknowledged": "INTEGER NOT NULL DEFAULT 0",
        "acknowledged_ns": "INTEGER",
        "refused": "INTEGER NOT NULL DEFAULT 0",
        "problem": "TEXT",
        "remedy": "TEXT",
        "problem_ns": "INTEGER",
    },
    rowid=True,
)
UNSENT = GuardedTable(
    name="unsent",
    row_name="What sink {0} lacks of series {1}",
    key=("sink_id", "series_id"),
    columns={
        "sink_id": "INTEGER REFERENCES sink(id)",
        "series_id": "INTEGER",
        "first": "INTEGER NOT NULL",
        "sealed": "INTEGER NOT NULL",
    },
    also="""
    CREATE INDEX unsent_by_series ON unsent(series_id);
    CREATE TRIGGER series_leaves_sinks AFTER DELETE ON series BEGIN
      DELETE FROM unsent WHERE series_id = old.id;
      DELETE FROM sent_live WHERE run_id = old.run_id;
    END;
    """,
)
SENT_LIVE = GuardedTable(
    name="sent_live",
    row_name="How far sink {0} is in run {1}",
    key=("sink_id", "run_id"),
    columns={"sink_id": "INTEGER REFERENCES sink(id)", "run_id": "TEXT", "live_row_id": "INTEGER NOT NULL"},
)
TABLES = SINK, UNSENT, SENT_LIVE

Sink = tuple[int, int]
"""A sink, and how many of the first live samples of the run it has acknowledged."""

_POSITIONS = """SELECT sink.id, coalesce(live_row_id, 0) FROM sink
                LEFT JOIN sent_live ON sent_live.sink_id = sink.id AND run_id = ?"""
_KEEP = """INSERT INTO unsent VALUES (?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET first = min(first, excluded.first), sealed = excluded.sealed"""
_GROW = "UPDATE unsent SET sealed = ? WHERE sink_id = ? AND series_id = ?"


def sinks(connection: apsw.Connection, run_id: str, sizes: Mapping[int, int]) -> list[Sink]:
    """Read the positions of the sinks in the live rows of a run; ``sizes``: samples of each row in order of arrival."""
    return [
        (sink_id, sum(n for row_id, n in sizes.items() if row_id <= live_row_id))
        for sink_id, live_row_id in query(connection, _POSITIONS, run_id)
    ]


def keep_positions(
    connection: apsw.Connection, sinks: Sequence[Sink], series_id: int, samples: Samples, places: NDArray[np.intp]
) -> None:
    """Record which samples of a series that is about to be sealed no sink has acknowledged.

    ``places`` are theirs among the live samples of the run. They follow the sealed ones in order of arrival. Where
    that is not the order of the stamps, the chunk that is not full is put in order with them; all of it is sent again.
    """
    if not sinks:
        return
    sealed = chunks.count(connection, series_id)
    total = sealed + len(samples)
    for sink_id, acknowledged in sinks:
        sent = int(np.searchsorted(places, acknowledged))
        if sent == len(samples):
            query(connection, _GROW, total, sink_id, series_id)
            continue
        begun, last_ns = chunks.last_place(connection, series_id)
        first = sealed + sent if _in_order(last_ns, samples.t_ns) else begun
        query(connection, _KEEP, sink_id, series_id, first, total)


def forget_live(connection: apsw.Connection, run_id: str) -> None:
    """Remove the positions of the sinks in live rows that are chunks now."""
    query(connection, "DELETE FROM sent_live WHERE run_id = ?", run_id)


def _in_order(last_ns: int | None, stamps: NDArray[np.int64]) -> bool:
    return bool(np.all(stamps[1:] >= stamps[:-1])) and (last_ns is None or bool(stamps[0] >= last_ns))
