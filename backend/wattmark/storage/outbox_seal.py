"""Keep the positions of sinks true while live rows become chunks; runs in the transaction that seals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw
import numpy as np
from numpy.typing import NDArray

from wattmark.storage import chunks
from wattmark.storage.query import query
from wattmark.storage.sample_store import Samples

Sink = tuple[int, int]
"""A sink, and how many of the first live samples of the run it has acknowledged."""

_POSITIONS = """SELECT sink.id, coalesce(tail_id, 0) FROM sink
                LEFT JOIN sent_live ON sent_live.sink_id = sink.id AND run_id = ?"""
_KEEP = """INSERT INTO unsent VALUES (?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET first = min(first, excluded.first), sealed = excluded.sealed"""
_GROW = "UPDATE unsent SET sealed = ? WHERE sink_id = ? AND series_id = ?"


def sinks(connection: apsw.Connection, run_id: str, sizes: Mapping[int, int]) -> list[Sink]:
    """Read how far the sinks are in the live rows of a run; ``sizes``: samples of each row in order of arrival."""
    return [
        (sink_id, sum(n for row_id, n in sizes.items() if row_id <= tail_id))
        for sink_id, tail_id in query(connection, _POSITIONS, run_id)
    ]


def keep_positions(
    connection: apsw.Connection, sinks: Sequence[Sink], series_id: int, samples: Samples, places: NDArray[np.intp]
) -> None:
    """Note which samples of a series that are about to be sealed no sink has acknowledged.

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
    """Forget how far the sinks were in live rows that are chunks now."""
    query(connection, "DELETE FROM sent_live WHERE run_id = ?", run_id)


def _in_order(last_ns: int | None, stamps: NDArray[np.int64]) -> bool:
    return bool(np.all(stamps[1:] >= stamps[:-1])) and (last_ns is None or bool(stamps[0] >= last_ns))
