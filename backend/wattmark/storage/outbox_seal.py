"""Keep the positions of sinks true while live rows become chunks; runs in the transaction that seals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw
import numpy as np

from wattmark.storage import chunks
from wattmark.storage.columns import concatenate
from wattmark.storage.query import query
from wattmark.storage.sample_store import Samples

LivePart = tuple[int, Samples]
"""The row that holds the samples, and the samples."""

_POSITIONS = """SELECT sink.id, coalesce(tail_id, 0) FROM sink
                LEFT JOIN sent_live ON sent_live.sink_id = sink.id AND run_id = ?"""
_KEEP = """INSERT INTO unsent VALUES (?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET first = min(first, excluded.first), sealed = excluded.sealed"""
_GROW = "UPDATE unsent SET sealed = ? WHERE sink_id = ? AND series_id = ?"


def before_sealing(connection: apsw.Connection, run_id: str, by_series: Mapping[int, Sequence[LivePart]]) -> None:
    """Note which of the samples that are about to be sealed no sink has acknowledged.

    They follow the sealed ones in order of arrival. Where that is not the order of the stamps, the chunk that is not
    full yet is put in order with them, so all of it is sent again.
    """
    sinks = query(connection, _POSITIONS, run_id)
    if not sinks:
        return
    for series_id, parts in by_series.items():
        sealed = chunks.count(connection, series_id)
        for sink_id, tail_id in sinks:
            _note(connection, sink_id, tail_id, series_id, parts, sealed)
    query(connection, "DELETE FROM sent_live WHERE run_id = ?", run_id)


def _note(
    connection: apsw.Connection, sink_id: int, tail_id: int, series_id: int, parts: Sequence[LivePart], sealed: int
) -> None:
    total = sealed + sum(len(samples) for _, samples in parts)
    sent = sum(len(samples) for row, samples in parts if row <= tail_id)
    if sealed + sent == total:
        query(connection, _GROW, total, sink_id, series_id)
        return
    begun, last_ns = chunks.last_place(connection, series_id)
    in_order = _in_order(last_ns, [samples for _, samples in parts])
    query(connection, _KEEP, sink_id, series_id, sealed + sent if in_order else begun, total)


def _in_order(last_ns: int | None, pieces: Sequence[Samples]) -> bool:
    stamps = concatenate(pieces).t_ns
    return bool(np.all(stamps[1:] >= stamps[:-1])) and (last_ns is None or bool(stamps[0] >= last_ns))
