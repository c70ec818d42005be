"""Live samples: one row per commit and run, all series of the commit in one blob."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import apsw
import numpy as np

from wattmark.store.columns import checksum, checksum_of_numbers
from wattmark.store.query import query
from wattmark.store.sample_batch import SampleBatch
from wattmark.store.sample_store import Samples
from wattmark.store.table import StoredTable

ROW_SAMPLES = 2**18
"""Most samples in one row: keeps blobs far from SQLite's limit of 1 GB."""

_INSERT = "INSERT INTO live_row(run_id, t0, t1, n, head_crc, blob, crc) VALUES (?,?,?,?,?,?,?)"
_PILED_UP = """SELECT run_id FROM live_row GROUP BY run_id HAVING count(*) >= ? OR sum(n) >= min(?, max(?, ? * coalesce(
               (SELECT series_count.n FROM series_count WHERE series_count.run_id = live_row.run_id), 0)))"""

TAIL = StoredTable(
    name="live_row",
    key=("id",),
    columns={
        "id": "INTEGER",
        "run_id": "TEXT NOT NULL",
        "t0": "INTEGER NOT NULL",
        "t1": "INTEGER NOT NULL",
        "n": "INTEGER NOT NULL",
        "head_crc": "INTEGER NOT NULL",
        "blob": "BLOB NOT NULL",
        "crc": "INTEGER NOT NULL",
    },
    rowid=True,
    also="CREATE INDEX live_row_by_run ON live_row(run_id, n);",
)
TABLES = (TAIL,)


class LiveRow(NamedTuple):
    """One commit of one run."""

    id: int
    run_id: str
    t0: int
    t1: int
    n: int
    head_crc: int
    blob: bytes
    crc: int

    @property
    def sound(self) -> bool:
        """Return whether the samples are as they were written."""
        return checksum(self.blob) == self.crc

    def may_touch(self, begin_ns: int, end_ns: int) -> bool:
        """Return whether a stamp may lie in [begin_ns, end_ns]; True where the row's span itself is damaged."""
        if _head_crc(self.run_id, self.t0, self.t1, self.n) != self.head_crc:
            return True
        return self.t1 >= begin_ns and self.t0 <= end_ns

    @property
    def sample_batch(self) -> SampleBatch:
        """Decode the samples of all series; for a sound row."""
        return SampleBatch(self.blob)

    def part(self, series_id: int) -> Samples:
        """Decode the samples of one series; for a sound row."""
        return self.sample_batch.part(series_id)


def write(connection: apsw.Connection, run_id: str, sample_batch: SampleBatch) -> int:
    """Add the samples of a run, split into several rows where they are many; return the number of rows."""
    written = 0
    for row in sample_batch.rows(ROW_SAMPLES):
        head = run_id, *row.span(), row.n
        query(connection, _INSERT, *head, _head_crc(*head), row.blob, checksum(row.blob))
        written += 1
    return written


def piled_up(connection: apsw.Connection, rows: int, least: int, of_each: int, most: int) -> list[str]:
    """Find the runs with at least this many rows, or samples per series, and at least the minimum in all.

    The most samples are enough whatever the number of series.
    """
    return [run_id for (run_id,) in query(connection, _PILED_UP, rows, most, least, of_each)]


def samples(connection: apsw.Connection, run_id: str) -> int:
    """Return how many samples the rows of a run hold, by their index."""
    ((n,),) = query(connection, "SELECT coalesce(sum(n), 0) FROM live_row WHERE run_id = ?", run_id)
    return int(n)


def rows(connection: apsw.Connection, run_id: str) -> Iterator[LiveRow]:
    """Read the rows of a run in order of arrival, not yet verified; read all before writing.

    The table is scanned, as it is small; its index only gives the number of rows expected.
    """
    ((n,),) = query(connection, "SELECT count(*) FROM live_row WHERE run_id = ?", run_id)
    for row in connection.execute("SELECT * FROM live_row NOT INDEXED WHERE run_id = ? ORDER BY id", (run_id,)):
        n -= 1
        yield LiveRow._make(row)
    if n > 0:
        raise apsw.CorruptError(f"{n} live rows of run {run_id} are missing")


def counts(connection: apsw.Connection, run_id: str) -> Counter[int]:
    """Count the live samples of a run by series; those of damaged rows are not counted."""
    sound = [row.sample_batch for row in rows(connection, run_id) if row.sound]
    if not sound:
        return Counter()
    numbers, which = np.unique(np.concatenate([sample_batch.numbers for sample_batch in sound]), return_inverse=True)
    sums = np.bincount(which, np.concatenate([sample_batch.counts for sample_batch in sound])).astype(np.int64)
    return Counter(dict(zip(numbers.tolist(), sums.tolist(), strict=True)))


def delete(connection: apsw.Connection, ids: Sequence[int]) -> None:
    """Delete rows."""
    connection.executemany("DELETE FROM live_row WHERE id = ?", ((row_id,) for row_id in ids))


def _head_crc(run_id: str, t0: int, t1: int, n: int) -> int:
    return checksum_of_numbers("<3q", t0, t1, n, name=run_id)
