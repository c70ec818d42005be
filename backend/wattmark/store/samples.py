"""The sample store on the one SQLite file. What `append` has returned for survives a crash."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

import apsw
import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError, StoreError
from wattmark.store import chunks, live_rows, series_table
from wattmark.store.chunks import GROWN_SAMPLES, DamagedError, Head
from wattmark.store.columns import between, columns_of, concatenate, in_order, joined, make_samples
from wattmark.store.database import Database
from wattmark.store.envelope import Cells, cut
from wattmark.store.faults import damaged
from wattmark.store.live_rows import LiveRow
from wattmark.store.sample_batch import Part, SampleBatch
from wattmark.store.sample_store import Envelope, Samples, Series, SeriesKey
from wattmark.store.seal import seal, write_sealed
from wattmark.store.series_table import DisagreeError

LIVE_ROWS = 512
"""Live rows of a run that may pile up before they are sealed; bounds the cost of reading a running run."""
LIVE_SAMPLES, LIVE_EACH, LIVE_MOST = 3 * 2**15, 128, 2**19
"""Live samples of a run that may pile up before they are sealed; of each series where these are thousands, for a short
chunk is written again with every sealing; and at the most, for a reader of a running run reads them all (14 MB)."""
LOOK_ROWS, LOOK_SAMPLES = 64, 2**14
"""Rows after which it is looked whether so much has piled up, and samples in rows of the same size."""
_FEW_PARTS = 8
_FIRST_NS, _LAST_NS = int(np.iinfo(np.int64).min), int(np.iinfo(np.int64).max)
_log = logging.getLogger(__name__)


class SqliteSampleStore:
    """Keep samples as live rows, then as chunks. All stamps are kept, in order; equal stamps in order of arrival."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def series(self, key: SeriesKey) -> Series:
        return self._database.write(partial(_series, key=key))

    def enter(self, keys: Sequence[SeriesKey]) -> list[int]:
        """Find or create series in one durable commit; return their numbers in the same order. Raises `StoreError`."""
        return self._database.write(partial(_enter, keys=keys))

    def append(self, batch: Sequence[Part]) -> None:
        """Write samples of several series in one durable commit; returns after the commit. Raises `StoreError`.

        A `SampleBatch` costs least where there are thousands of series. A thousand samples of each
        series become chunks at once.
        """
        if not batch:
            return
        if _is_bulk(batch):
            parts = [(number, make_samples(*columns_of(samples))) for number, samples in batch]
            self._database.write(partial(_append_sealed, parts=parts))
            return
        sample_batch = batch if isinstance(batch, SampleBatch) else SampleBatch.of(batch)
        if sample_batch.n:
            self._database.write(partial(_append, sample_batch=sample_batch))

    def seal(self, run_id: str) -> None:
        """Move the run's live rows into chunks. Raises `StoreError` when a row is damaged; the others are moved."""
        left = self._database.write(partial(seal, run_id=run_id))
        for row in left:
            raise self._damaged_row(row)

    def list_series(self, run_id: str) -> list[Series]:
        """List the series of a run with their sample counts; samples of damaged live rows are not counted."""
        with self._database.snapshot() as connection:
            keys = self._keys(connection, run_id)
            live = live_rows.counts(connection, run_id)
            return [
                Series(number, key, chunks.count(connection, number) + live[number]) for number, key in keys.items()
            ]

    def read(self, series_id: int, begin_ns: int | None = None, end_ns: int | None = None) -> Samples:
        """Read the samples with begin_ns <= t <= end_ns, sealed or live.

        Raises `StoreError` when a part of that span is damaged; other spans stay readable.
        """
        begin, end = _span(begin_ns, end_ns)
        with self._database.snapshot() as connection:
            key = self._key(connection, series_id)
            heads = [head for head in self._heads(connection, series_id, key) if head.overlaps(begin, end)]
            recent = list(self._live(list(live_rows.rows(connection, key.run_id)), series_id, begin, end))
            sealed = self._sealed(connection, heads, key)
            if len(heads) + len(recent) < _FEW_PARTS:
                samples = concatenate([*sealed, *recent])
            else:
                samples = joined(chain(sealed, recent), sum(head.n for head in heads) + sum(map(len, recent)))
        return between(in_order(samples), begin, end)

    def envelope(
        self, series_id: int, buckets: int, begin_ns: int | None = None, end_ns: int | None = None
    ) -> Envelope:
        """Read a series at the resolution of a screen: at most ``buckets`` spans with minimum, maximum and mean.

        Readings that may not be used (not finite, or of a bad quality) count in ``n`` only; where a span has no
        other, its figures are NaN. With half as many chunks as buckets, or more, the spans end at chunk borders: then
        there may be half as many spans, and no sample but those at the edges is read.
        """
        if buckets < 1:
            raise InputError(f"{buckets} buckets were asked for.", "Ask for at least one.")
        begin, end = _span(begin_ns, end_ns)
        cells = self._chunk_cells(series_id, buckets, begin, end)
        if cells is None:
            cells = Cells.of_samples(self.read(series_id, begin, end))
        return cut(cells, buckets)

    def delete_run(self, run_id: str) -> None:
        """Delete all series of a run; their space is used again."""
        self._database.write(partial(_delete_run, run_id=run_id))

    def _chunk_cells(self, series_id: int, buckets: int, begin: int, end: int) -> Cells | None:
        with self._database.snapshot() as connection:
            key = self._key(connection, series_id)
            heads = [head for head in self._heads(connection, series_id, key) if head.overlaps(begin, end)]
            whole = [head for head in heads if head.inside(begin, end)]
            if 2 * len(whole) < buckets:
                return None
            cut_through = [chunks.columns(connection, head) for head in heads if not head.inside(begin, end)]
            live = list(live_rows.rows(connection, key.run_id))
        edges = [between(self._decoded(columns, key), begin, end) for columns in cut_through]
        recent = between(in_order(concatenate(list(self._live(live, series_id, begin, end)))), begin, end)
        parts = [Cells.of_samples(edge) for edge in [*edges, recent]]
        cells = Cells.in_time([Cells.of_chunks(whole), *parts])
        return None if cells.overlap else cells

    def _keys(self, connection: apsw.Connection, run_id: str) -> dict[int, SeriesKey]:
        try:
            return series_table.of_run(connection, run_id)
        except DisagreeError as error:
            raise damaged(self._database.path, f"The list of series of run {run_id}") from error

    def _key(self, connection: apsw.Connection, series_id: int) -> SeriesKey:
        try:
            return series_table.verified(connection, series_id)
        except DisagreeError as error:
            raise damaged(self._database.path, f"The identity of series {series_id}") from error

    def _heads(self, connection: apsw.Connection, series_id: int, key: SeriesKey) -> list[Head]:
        try:
            return list(chunks.heads(connection, series_id))
        except DamagedError as error:
            raise damaged(self._database.path, f"Chunk {error.k} of {_name(key)}") from error

    def _sealed(self, connection: apsw.Connection, heads: Sequence[Head], key: SeriesKey) -> Iterator[Samples]:
        """Read and decode chunks one by one, so that a long series is in memory once."""
        for head in heads:
            samples = self._decoded(chunks.columns(connection, head), key)
            if len(samples) != head.n:
                raise damaged(self._database.path, f"Chunk {head.k} of {_name(key)}")
            yield samples

    def _decoded(self, columns: chunks.Columns, key: SeriesKey) -> Samples:
        try:
            return columns.samples()
        except DamagedError as error:
            raise damaged(self._database.path, f"Chunk {error.k} of {_name(key)}") from error

    def _live(self, rows: Sequence[LiveRow], series_id: int, begin: int, end: int) -> Iterator[Samples]:
        for row in rows:
            if not row.may_touch(begin, end):
                continue
            if not row.sound:
                raise self._damaged_row(row)
            yield row.part(series_id)

    def _damaged_row(self, row: LiveRow) -> StoreError:
        return damaged(self._database.path, f"Live row {row.id} of run {row.run_id}")


def _span(begin_ns: int | None, end_ns: int | None) -> tuple[int, int]:
    begin = _FIRST_NS if begin_ns is None else begin_ns
    end = _LAST_NS if end_ns is None else end_ns
    return min(max(begin, _FIRST_NS), _LAST_NS), min(max(end, _FIRST_NS), _LAST_NS)


def _name(key: SeriesKey) -> str:
    return f"{key.source} {key.channel} of run {key.run_id}"


def _is_bulk(batch: Sequence[Part]) -> bool:
    """Return whether the batch fills a chunk of each series, so that live rows would be wasted."""
    n = batch.n if isinstance(batch, SampleBatch) else sum([len(samples.t_ns) for _, samples in batch])
    return n >= len(batch) * GROWN_SAMPLES


def _series(connection: apsw.Connection, key: SeriesKey) -> Series:
    number, new = series_table.number_of(connection, key)
    if new:
        return Series(number, key)
    return Series(number, key, chunks.count(connection, number) + live_rows.counts(connection, key.run_id)[number])


def _enter(connection: apsw.Connection, keys: Sequence[SeriesKey]) -> list[int]:
    return [series_table.number_of(connection, key)[0] for key in keys]


def _append(connection: apsw.Connection, sample_batch: SampleBatch) -> None:
    written = 0
    for run_id, part in _by_run(connection, sample_batch).items():
        written += live_rows.write(connection, run_id, part)
    every = min(1 + LOOK_SAMPLES // sample_batch.n, LOOK_ROWS)
    if connection.last_insert_rowid() % every < written:
        _seal_piled_up(connection)


def _by_run(connection: apsw.Connection, sample_batch: SampleBatch) -> dict[str, SampleBatch]:
    run_id = series_table.only_run(connection, sample_batch.encoded_numbers)
    if run_id is not None:
        return {run_id: sample_batch}
    return {
        run_id: SampleBatch.of(parts)
        for run_id, parts in _sorted_by_run(connection, sample_batch.numbers, sample_batch).items()
    }


def _append_sealed(connection: apsw.Connection, parts: Sequence[Part]) -> None:
    numbers = np.array([number for number, _ in parts])
    for run_id, own in _sorted_by_run(connection, numbers, parts).items():
        _warn_of(write_sealed(connection, run_id, own))


def _sorted_by_run(
    connection: apsw.Connection, numbers: NDArray[np.int64], parts: Iterable[Part]
) -> dict[str, list[Part]]:
    run_of = series_table.runs_of(connection, numbers)
    by_run: defaultdict[str, list[Part]] = defaultdict(list)
    for number, samples in parts:
        by_run[run_of[number]].append((number, samples))
    return by_run


def _seal_piled_up(connection: apsw.Connection) -> None:
    for run_id in live_rows.piled_up(connection, LIVE_ROWS, LIVE_SAMPLES, LIVE_EACH, LIVE_MOST):
        _warn_of(seal(connection, run_id))


def _warn_of(damaged_rows: Sequence[LiveRow]) -> None:
    for row in damaged_rows:
        _log.warning("Live row %d of run %s is damaged and was not sealed.", row.id, row.run_id)


def _delete_run(connection: apsw.Connection, run_id: str) -> None:
    for number in series_table.of_run(connection, run_id):
        chunks.delete(connection, number)
    live_rows.delete(connection, [row.id for row in live_rows.rows(connection, run_id)])
    series_table.delete(connection, run_id)
