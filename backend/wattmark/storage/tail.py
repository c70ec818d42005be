"""Live samples: one row per commit and run, all series of the commit in one blob."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import apsw
import numpy as np

from wattmark.storage.bundle import Bundle
from wattmark.storage.columns import SAMPLE_BYTES, checksum
from wattmark.storage.query import query
from wattmark.storage.sample_store import Samples

ROW_SAMPLES = 2**18
"""Most samples in one row: keeps blobs far from SQLite's limit of 1 GB."""

_INSERT = "INSERT INTO tail(run_id, t0, t1, n, head_crc, blob, crc) VALUES (?,?,?,?,?,?,?)"
_PILED_UP = """SELECT run_id FROM tail GROUP BY run_id HAVING count(*) >= ? OR sum(n) >= min(?, max(?, ? * coalesce(
               (SELECT series_count.n FROM series_count WHERE series_count.run_id = tail.run_id), 0)))"""


class TailRow(NamedTuple):
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
        """Tell whether the samples are as they were written."""
        return checksum(self.blob) == self.crc

    def may_touch(self, begin_ns: int, end_ns: int) -> bool:
        """Tell whether a stamp may lie in [begin_ns, end_ns]; yes where the row's span itself is damaged."""
        if _head_crc(self.run_id, self.t0, self.t1, self.n) != self.head_crc:
            return True
        return self.t1 >= begin_ns and self.t0 <= end_ns

    @property
    def bundle(self) -> Bundle:
        """Decode the samples of all series; for a sound row."""
        return Bundle.decode(self.blob)

    def part(self, series_id: int) -> Samples:
        """Decode the samples of one series; for a sound row."""
        bundle = self.bundle
        return bundle.only(bundle.numbers == series_id).samples


def write(connection: apsw.Connection, run_id: str, bundle: Bundle) -> int:
    """Add the samples of a run, in several rows where they are very many; tells in how many."""
    written = 0
    for row in bundle.rows(ROW_SAMPLES):
        stamps = row.samples.t_ns
        head = run_id, int(stamps.min()), int(stamps.max()), len(stamps)
        blob = row.encode()
        query(connection, _INSERT, *head, _head_crc(*head), blob, checksum(blob))
        written += 1
    return written


def piled_up(connection: apsw.Connection, rows: int, least: int, of_each: int, most: int) -> list[str]:
    """Find the runs that have so many rows, or so many samples of each series, but no fewer than the least in all.

    The most samples are enough whatever the number of series.
    """
    return [run_id for (run_id,) in query(connection, _PILED_UP, rows, most, least, of_each)]


def samples(connection: apsw.Connection, run_id: str) -> int:
    """Count about how many samples the rows of a run hold."""
    ((size,),) = query(connection, "SELECT coalesce(sum(length(blob)), 0) FROM tail WHERE run_id = ?", run_id)
    return int(size) // SAMPLE_BYTES


def rows(connection: apsw.Connection, run_id: str) -> Iterator[TailRow]:
    """Read the rows of a run in order of arrival, not yet verified; take all of them before anything is written.

    The table is scanned, for it holds little; its index only tells how many rows there must be.
    """
    ((n,),) = query(connection, "SELECT count(*) FROM tail WHERE run_id = ?", run_id)
    for row in connection.execute("SELECT * FROM tail NOT INDEXED WHERE run_id = ? ORDER BY id", (run_id,)):
        n -= 1
        yield TailRow._make(row)
    if n > 0:
        raise apsw.CorruptError(f"{n} live rows of run {run_id} are missing")


def counts(connection: apsw.Connection, run_id: str) -> Counter[int]:
    """Count the live samples of a run by series; those of damaged rows are not counted."""
    sound = [row.bundle for row in rows(connection, run_id) if row.sound]
    if not sound:
        return Counter()
    numbers, which = np.unique(np.concatenate([bundle.numbers for bundle in sound]), return_inverse=True)
    sums = np.bincount(which, np.concatenate([bundle.counts for bundle in sound])).astype(np.int64)
    return Counter(dict(zip(numbers.tolist(), sums.tolist(), strict=True)))


def delete(connection: apsw.Connection, ids: Sequence[int]) -> None:
    """Delete rows."""
    connection.executemany("DELETE FROM tail WHERE id = ?", ((row_id,) for row_id in ids))


def _head_crc(run_id: str, t0: int, t1: int, n: int) -> int:
    return checksum(run_id.encode(), struct.pack("<3q", t0, t1, n))
