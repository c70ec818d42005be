"""Read the samples queued for a sink: sealed samples after a position, then live rows after one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import apsw
import numpy as np
from numpy.typing import NDArray

from wattmark.store import chunks, series_table
from wattmark.store.chunks import DamagedError, Head
from wattmark.store.columns import in_order, pick, repeats
from wattmark.store.live_rows import LiveRow
from wattmark.store.outbox.outbox_types import LiveMark, Mark, OutboxLoad, SampleSlice, SealedMark
from wattmark.store.query import query
from wattmark.store.sample_store import Samples, SeriesKey

_ROWS = 64
_LIVE = """SELECT live_row.* FROM live_row
           LEFT JOIN sent_live ON sent_live.sink_id = ? AND sent_live.run_id = live_row.run_id
           WHERE live_row.id > coalesce(live_row_id, 0) ORDER BY live_row.id LIMIT ?"""


@dataclass(slots=True)
class _Loading:
    """A load that is being filled until it has ``room`` for no more samples."""

    room: int
    slices: list[SampleSlice] = field(default_factory=list)
    marks: dict[int | str, Mark] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)
    names: dict[str, dict[int, tuple[SeriesKey, int]]] = field(default_factory=dict)

    def named(self, connection: apsw.Connection, run_id: str, series_id: int) -> tuple[SeriesKey, int]:
        """Return the key of a series and its part; all series of a run are read at once."""
        if run_id not in self.names:
            self.names[run_id] = _named(connection, run_id)
        return self.names[run_id][series_id]

    def add(self, sample_slice: SampleSlice) -> None:
        self.slices.append(sample_slice)
        self.room -= len(sample_slice.samples)

    def load(self) -> OutboxLoad | None:
        if not self.marks:
            return None
        return OutboxLoad(tuple(self.slices), tuple(self.marks.values()), tuple(self.damaged))


def sealed(connection: apsw.Connection, sink_id: int, limit: int) -> OutboxLoad | None:
    """Read sealed samples that wait, of one series after the other; None where there are none."""
    sql = "SELECT series_id, first, sealed FROM unsent WHERE sink_id = ? ORDER BY series_id LIMIT ?"
    loading = _Loading(limit)
    for series_id, first, end in query(connection, sql, sink_id, _ROWS):
        loading.marks[series_id] = SealedMark(
            series_id, first, _load_series(connection, loading, series_id, first, end)
        )
        if loading.room <= 0:
            break
    return loading.load()


def live(connection: apsw.Connection, sink_id: int, limit: int) -> OutboxLoad | None:
    """Read live rows that wait, of all runs in order of arrival; None where there are none."""
    loading = _Loading(limit)
    for row in map(LiveRow._make, query(connection, _LIVE, sink_id, _ROWS)):
        loading.marks[row.run_id] = LiveMark(row.run_id, row.id, row.crc)
        if not row.sound:
            loading.damaged.append(f"live row {row.id} of run {row.run_id}")
            continue
        for series_id, samples in row.sample_batch:
            ordered = in_order(samples)
            name = loading.named(connection, row.run_id, series_id)
            loading.add(SampleSlice(*name, ordered, repeats(ordered.t_ns)))
        if loading.room <= 0:
            break
    return loading.load()


def _load_series(connection: apsw.Connection, loading: _Loading, series_id: int, first: int, end: int) -> int:
    """Load a series from a position on, as far as there is room; return the position after it."""
    key, part = loading.named(connection, series_table.find(connection, series_id).run_id, series_id)
    place = first
    try:
        for head, begin in _heads_from(connection, series_id, first):
            if loading.room <= 0:
                return place
            place = begin + head.n
            sample_slice = SampleSlice(key, part, *_cut(connection, head, first - begin, loading.room))
            loading.add(sample_slice)
            place = max(first, begin) + len(sample_slice.samples)
    except DamagedError as error:
        loading.damaged.append(f"chunk {error.k} of {key.source} {key.channel} of run {key.run_id}")
        return end if place == first else place
    return place


def _named(connection: apsw.Connection, run_id: str) -> dict[int, tuple[SeriesKey, int]]:
    series: dict[int, tuple[SeriesKey, int]] = {}
    seen: Counter[tuple[str, str, str]] = Counter()
    for number, key in series_table.of_run(connection, run_id).items():
        tags = key.server, key.source, key.channel
        series[number] = key, seen[tags]
        seen[tags] += 1
    return series


def _heads_from(connection: apsw.Connection, series_id: int, first: int) -> Iterator[tuple[Head, int]]:
    """Yield the chunks from the one that holds the sample ``first``, each with the position of its first sample."""
    begin = 0
    for head in chunks.heads(connection, series_id):
        if begin + head.n > first:
            yield head, begin
        begin += head.n


def _cut(connection: apsw.Connection, head: Head, offset: int, room: int) -> tuple[Samples, NDArray[np.int64]]:
    samples = chunks.columns(connection, head).samples()
    before = repeats(samples.t_ns, _same_before(connection, head, int(samples.t_ns[0])))
    wanted = slice(max(0, offset), max(0, offset) + room)
    return pick(samples, wanted), before[wanted]


def _same_before(connection: apsw.Connection, head: Head, t_ns: int) -> int:
    """Count the samples at the end of the chunk before that have the stamp with which this one begins."""
    if head.k == 0:
        return 0
    before = chunks.summary(connection, head.series_id, head.k - 1)
    if before is None or before.t1 != t_ns:
        return 0
    return int(np.count_nonzero(chunks.columns(connection, before).samples().t_ns == t_ns))
