"""Sealed samples: columnar chunks of one series, each with its extremes and its checksums.

A chunk is cut from samples in order of their stamps. Chunks follow each other in order of sealing (``k``); they
overlap in time only where samples arrived late.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

import apsw
import numpy as np
from numpy.typing import NDArray

from wattmark.store.columns import (
    QUALITY,
    STAMP,
    U_STAMP,
    VALUE,
    checksum,
    checksum_of_numbers,
    concatenate,
    from_bytes,
    in_order,
    pick,
    to_bytes,
    usable,
)
from wattmark.store.query import query
from wattmark.store.sample_store import Samples
from wattmark.store.table import StoredTable

CHUNK_SAMPLES = 4096
GROWN_SAMPLES = 1024
"""A last chunk of at least this size is not rewritten: rewriting it with every sealing would wear the disk."""
_RAW, _STEPS = 0, 1
"""Encoding of the stamps of a chunk on disk: every stamp, or the first one and the distance of each next one (a single
step where all are equal)."""
_STEP = np.dtype("<u4")
_LONGEST_STEP_NS = 2**32 - 1
_NONE = -1
_HEAD = "series_id, k, n, n_usable, t0, t1, vmin, vmax, vsum"

CHUNK = StoredTable(
    name="chunk",
    key=("series_id", "k"),
    columns={
        "series_id": "INTEGER REFERENCES series(id)",
        "k": "INTEGER",
        "n": "INTEGER NOT NULL",
        "n_usable": "INTEGER NOT NULL",
        "t0": "INTEGER NOT NULL",
        "t1": "INTEGER NOT NULL",
        "vmin": "REAL",
        "vmax": "REAL",
        "vsum": "REAL NOT NULL",
        "crc": "INTEGER NOT NULL",
    },
)
CHUNK_DATA = StoredTable(
    name="chunk_data",
    key=("id",),
    columns={
        "id": "INTEGER",
        "codec": "INTEGER NOT NULL",
        "t": "BLOB NOT NULL",
        "v": "BLOB NOT NULL",
        "quality": "BLOB",
        "u_t": "BLOB",
        "crc": "INTEGER NOT NULL",
    },
    rowid=True,
)
"""The columns of each chunk; its summary lies apart, so that summaries are read alone."""
TABLES = CHUNK, CHUNK_DATA


class DamagedError(Exception):
    """The checksum of chunk ``k`` does not match; the caller knows the name of the series."""

    def __init__(self, k: int) -> None:
        super().__init__(k)
        self.k = k


class Head(NamedTuple):
    """A chunk without its columns. The extremes are those of usable samples; None: there is none."""

    series_id: int
    k: int
    n: int
    n_usable: int
    t0: int
    t1: int
    vmin: float | None
    vmax: float | None
    vsum: float

    @classmethod
    def of(cls, series_id: int, k: int, samples: Samples) -> Self:
        """Compute the summary of samples that are in order."""
        allowed = usable(samples)
        good = samples.value if allowed.all() else samples.value[allowed]
        return cls(
            series_id,
            k,
            n=len(samples),
            n_usable=len(good),
            t0=int(samples.t_ns[0]),
            t1=int(samples.t_ns[-1]),
            vmin=float(good.min()) if len(good) else None,
            vmax=float(good.max()) if len(good) else None,
            vsum=float(good.sum()),
        )

    @property
    def crc(self) -> int:
        """Compute the checksum of the summary."""
        extremes = [np.nan if value is None else value for value in (self.vmin, self.vmax)]
        return checksum_of_numbers("<6q3d", *self[:6], *extremes, self.vsum)

    @property
    def data_id(self) -> int:
        """Return the row number of the columns."""
        return (self.series_id << 32) + self.k

    def overlaps(self, begin_ns: int, end_ns: int) -> bool:
        """Return whether a stamp of the chunk may lie in [begin_ns, end_ns]."""
        return self.t1 >= begin_ns and self.t0 <= end_ns

    def inside(self, begin_ns: int, end_ns: int) -> bool:
        """Return whether all stamps lie in [begin_ns, end_ns]."""
        return begin_ns <= self.t0 and self.t1 <= end_ns


class Columns(NamedTuple):
    """The columns of a chunk as they lie on disk."""

    k: int
    codec: int
    t: bytes
    v: bytes
    quality: bytes | None
    u_t: bytes | None
    crc: int

    @classmethod
    def of(cls, k: int, samples: Samples) -> Self:
        """Encode samples that are in order."""
        codec, stamps = _encoded_stamps(samples.t_ns)
        blobs = stamps, samples.value.tobytes(), to_bytes(samples.quality), to_bytes(samples.u_t_s)
        return cls(k, codec, *blobs, checksum(bytes([codec]), *blobs))

    def samples(self) -> Samples:
        """Decode the samples. Raises `DamagedError`."""
        if self.codec not in (_RAW, _STEPS) or self.crc != checksum(
            bytes([self.codec]), self.t, self.v, self.quality, self.u_t
        ):
            raise DamagedError(self.k)
        value = np.frombuffer(self.v, VALUE)
        return Samples(
            _decoded_stamps(self.codec, self.t, len(value)),
            value,
            from_bytes(self.quality, QUALITY, len(value)).astype(QUALITY, copy=False),
            from_bytes(self.u_t, U_STAMP, len(value)).astype(U_STAMP, copy=False),
        )


def _encoded_stamps(t_ns: NDArray[np.int64]) -> tuple[int, bytes]:
    """Encode stamps that are in order, as steps where none is longer than four seconds: half the bytes, or none."""
    steps = np.diff(t_ns)
    if not len(steps) or steps.max() > _LONGEST_STEP_NS or steps.min() < 0:
        return _RAW, t_ns.astype(STAMP, copy=False).tobytes()
    equal = bool((steps == steps[0]).all())
    return _STEPS, t_ns[:1].astype(STAMP, copy=False).tobytes() + steps[: 1 if equal else None].astype(_STEP).tobytes()


def _decoded_stamps(codec: int, blob: bytes, n: int) -> NDArray[np.int64]:
    stamps = np.frombuffer(blob, STAMP, 1 if codec == _STEPS else -1)
    if codec == _RAW:
        return stamps
    decoded = np.empty(n, STAMP)
    decoded[0] = stamps[0]
    decoded[1:] = np.frombuffer(blob, _STEP, offset=STAMP.itemsize)
    return np.cumsum(decoded, out=decoded)


def heads(connection: apsw.Connection, series_id: int) -> Iterator[Head]:
    """Read the summaries of a series in order of sealing; a damaged one is computed again from the columns.

    Raises `DamagedError` when the columns are damaged too, or a summary is missing.
    """
    sql = f"SELECT {_HEAD}, crc FROM chunk WHERE series_id = ? ORDER BY k"  # noqa: S608
    rows = query(connection, sql, series_id)
    for expected, (*fields, crc) in enumerate(rows):
        head = Head._make(fields)
        if head.k != expected:
            raise DamagedError(expected)
        yield head if head.crc == crc else Head.of(series_id, head.k, columns(connection, head).samples())
    if (beyond := _last_columns(connection, series_id)) != len(rows) - 1:
        raise DamagedError(min(len(rows), beyond + 1))


def _last_columns(connection: apsw.Connection, series_id: int) -> int:
    """Find the number of the last chunk that has columns; -1 where there is none."""
    span = series_id << 32, (series_id + 1) << 32
    ((last,),) = query(connection, "SELECT max(id) FROM chunk_data WHERE id >= ? AND id < ?", *span)
    return -1 if last is None else int(last) - span[0]


def columns(connection: apsw.Connection, head: Head) -> Columns:
    """Read the columns of a chunk, not yet verified."""
    rows = query(connection, "SELECT codec, t, v, quality, u_t, crc FROM chunk_data WHERE id = ?", head.data_id)
    return Columns(head.k, *(rows[0] if rows else (_NONE, b"", b"", None, None, 0)))


def count(connection: apsw.Connection, series_id: int) -> int:
    """Count the sealed samples of a series."""
    ((n,),) = query(connection, "SELECT coalesce(sum(n), 0) FROM chunk WHERE series_id = ?", series_id)
    return int(n)


def summary(connection: apsw.Connection, series_id: int, k: int) -> Head | None:
    """Read the summary of one chunk, not verified; None where there is none."""
    rows = query(connection, f"SELECT {_HEAD} FROM chunk WHERE series_id = ? AND k = ?", series_id, k)  # noqa: S608
    return Head._make(rows[0]) if rows else None


def last_place(connection: apsw.Connection, series_id: int) -> tuple[int, int | None]:
    """Return where the next sealed samples may end up: the place of the growing chunk, and its last stamp.

    The stamp is None where no such chunk is.
    """
    sql = f"SELECT {_HEAD} FROM chunk WHERE series_id = ? ORDER BY k DESC LIMIT 1"  # noqa: S608
    last = [Head._make(row) for row in query(connection, sql, series_id)]
    total = count(connection, series_id)
    if not last or last[0].n >= GROWN_SAMPLES:
        return total, None
    return total - last[0].n, last[0].t1


def write(connection: apsw.Connection, series_id: int, samples: Samples) -> None:
    """Seal samples behind those already there; a last chunk that has few is filled up first."""
    k, begun = _growing(connection, series_id)
    pending = in_order(concatenate([*begun, samples]))
    for offset in range(0, len(pending), CHUNK_SAMPLES):
        _write_chunk(connection, series_id, k, pick(pending, slice(offset, offset + CHUNK_SAMPLES)))
        k += 1


def _growing(connection: apsw.Connection, series_id: int) -> tuple[int, Sequence[Samples]]:
    sql = f"SELECT {_HEAD} FROM chunk WHERE series_id = ? ORDER BY k DESC LIMIT 1"  # noqa: S608
    last = query(connection, sql, series_id)
    if not last:
        return 0, ()
    head = Head._make(last[0])
    if head.n >= GROWN_SAMPLES:
        return head.k + 1, ()
    try:
        return head.k, (columns(connection, head).samples(),)
    except DamagedError:
        return head.k + 1, ()


def _write_chunk(connection: apsw.Connection, series_id: int, k: int, samples: Samples) -> None:
    head = Head.of(series_id, k, samples)
    query(connection, "INSERT OR REPLACE INTO chunk VALUES (?,?,?,?,?,?,?,?,?,?)", *head, head.crc)
    row = head.data_id, *Columns.of(k, samples)[1:]
    query(connection, "INSERT OR REPLACE INTO chunk_data VALUES (?,?,?,?,?,?,?)", *row)


def delete(connection: apsw.Connection, series_id: int) -> None:
    """Delete all chunks of a series."""
    query(connection, "DELETE FROM chunk_data WHERE id >= ? AND id < ?", series_id << 32, (series_id + 1) << 32)
    query(connection, "DELETE FROM chunk WHERE series_id = ?", series_id)
