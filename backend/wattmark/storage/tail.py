"""Live samples: one row per commit and run, all series of the commit in one blob."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import apsw
import numpy as np

from wattmark.storage.columns import QUALITY, SAMPLE_BYTES, STAMP, U_STAMP, VALUE, checksum, columns_of, pick
from wattmark.storage.query import query
from wattmark.storage.sample_store import Samples

Part = tuple[int, Samples]
"""Samples of the series with this number."""
ROW_SAMPLES = 2**18
"""Most samples in one row: keeps blobs far from SQLite's limit of 1 GB."""

_COUNT = struct.Struct("<I")
_ENTRY = struct.Struct("<qI")


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

    def parts(self) -> Iterator[Part]:
        """Decode the samples of all series; arrays are read-only views."""
        offset = _COUNT.size + _ENTRY.size * _COUNT.unpack_from(self.blob)[0]
        for series_id, n in self.directory():
            yield series_id, _decode(self.blob, offset, n)
            offset += n * SAMPLE_BYTES

    def part(self, series_id: int) -> Iterator[Samples]:
        """Decode the samples of one series."""
        offset = _COUNT.size + _ENTRY.size * _COUNT.unpack_from(self.blob)[0]
        for number, n in self.directory():
            if number == series_id:
                yield _decode(self.blob, offset, n)
            offset += n * SAMPLE_BYTES

    def directory(self) -> Iterator[tuple[int, int]]:
        """List series numbers and their sample counts; a series may appear twice."""
        end = _COUNT.size + _ENTRY.size * _COUNT.unpack_from(self.blob)[0]
        yield from _ENTRY.iter_unpack(self.blob[_COUNT.size : end])


def write(connection: apsw.Connection, run_id: str, parts: Sequence[Part]) -> int:
    """Add the samples, in several rows where they are very many; tells how many rows the run now has."""
    for row in _in_rows(parts):
        _write_row(connection, run_id, row)
    ((rows,),) = query(connection, "SELECT count(*) FROM tail WHERE run_id = ?", run_id)
    return int(rows)


def _in_rows(parts: Sequence[Part]) -> Iterator[list[Part]]:
    row: list[Part] = []
    room = ROW_SAMPLES
    for number, samples in parts:
        for offset in range(0, len(samples), ROW_SAMPLES):
            piece = pick(samples, slice(offset, offset + ROW_SAMPLES))
            if len(piece) > room:
                yield row
                row, room = [], ROW_SAMPLES
            row.append((number, piece))
            room -= len(piece)
    yield row


def _write_row(connection: apsw.Connection, run_id: str, parts: Sequence[Part]) -> None:
    t0 = min(int(samples.t_ns.min()) for _, samples in parts)
    t1 = max(int(samples.t_ns.max()) for _, samples in parts)
    head = run_id, t0, t1, sum(len(samples) for _, samples in parts)
    blob = _encode(parts)
    row = *head, _head_crc(*head), blob, checksum(blob)
    query(connection, "INSERT INTO tail(run_id, t0, t1, n, head_crc, blob, crc) VALUES (?,?,?,?,?,?,?)", *row)


def rows(connection: apsw.Connection, run_id: str) -> list[TailRow]:
    """Read the rows of a run in order of arrival, not yet verified.

    The table is scanned, for it holds little; its index only tells how many rows there must be.
    """
    found = query(connection, "SELECT * FROM tail NOT INDEXED WHERE run_id = ? ORDER BY id", run_id)
    ((n,),) = query(connection, "SELECT count(*) FROM tail WHERE run_id = ?", run_id)
    if n > len(found):
        raise apsw.CorruptError(f"{n - len(found)} live rows of run {run_id} are missing")
    return [TailRow._make(row) for row in found]


def counts(connection: apsw.Connection, run_id: str) -> Counter[int]:
    """Count the live samples of a run by series; those of damaged rows are not counted."""
    found: Counter[int] = Counter()
    for row in rows(connection, run_id):
        for series_id, n in row.directory() if row.sound else ():
            found[series_id] += n
    return found


def delete(connection: apsw.Connection, ids: Sequence[int]) -> None:
    """Delete rows."""
    connection.executemany("DELETE FROM tail WHERE id = ?", ((row_id,) for row_id in ids))


def _head_crc(run_id: str, t0: int, t1: int, n: int) -> int:
    return checksum(run_id.encode(), struct.pack("<3q", t0, t1, n))


def _encode(parts: Sequence[Part]) -> bytes:
    entries = b"".join(_ENTRY.pack(series_id, len(samples)) for series_id, samples in parts)
    data = b"".join(column.tobytes() for _, samples in parts for column in columns_of(samples))
    return _COUNT.pack(len(parts)) + entries + data


def _decode(blob: bytes, offset: int, n: int) -> Samples:
    stamps = np.frombuffer(blob, STAMP, n, offset)
    values = np.frombuffer(blob, VALUE, n, offset + n * STAMP.itemsize)
    qualities = np.frombuffer(blob, QUALITY, n, offset + n * (STAMP.itemsize + VALUE.itemsize))
    return Samples(stamps, values, qualities, np.frombuffer(blob, U_STAMP, n, offset + n * (SAMPLE_BYTES - 4)))
