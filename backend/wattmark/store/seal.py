"""Move samples of a run into chunks, all in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apsw
import numpy as np

from wattmark.store import chunks, live_rows
from wattmark.store.columns import pick
from wattmark.store.live_rows import LiveRow
from wattmark.store.outbox import outbox_seal
from wattmark.store.sample_batch import Part, SampleBatch

AT_ONCE = 2**17
"""Samples that are sorted at once, in 8 MB: rows that hold more are read once for every share of the series."""


def seal(connection: apsw.Connection, run_id: str) -> list[LiveRow]:
    """Move the live rows of a run into chunks; return the damaged ones, which stay."""
    shares = 1 + live_rows.samples(connection, run_id) // AT_ONCE
    damaged: dict[int, LiveRow] = {}
    sizes: dict[int, int] = {}
    for share in range(shares):
        before, sizes = sizes, {}
        live = SampleBatch.joined(_sound(live_rows.rows(connection, run_id), sizes, damaged, share, shares))
        if share and sizes.keys() != before.keys():
            raise apsw.CorruptError(f"live rows of run {run_id} changed between two reads")
        sinks = outbox_seal.sinks(connection, run_id, sizes)
        for series_id, places in live.places():
            samples = pick(live.samples, places)
            outbox_seal.keep_positions(connection, sinks, series_id, samples, places)
            chunks.write(connection, series_id, samples)
    outbox_seal.forget_live(connection, run_id)
    live_rows.delete(connection, list(sizes))
    return list(damaged.values())


def write_sealed(connection: apsw.Connection, run_id: str, parts: Iterable[Part]) -> list[LiveRow]:
    """Write samples of a run as chunks, after moving its live rows; return the damaged ones."""
    damaged = seal(connection, run_id)
    sinks = outbox_seal.sinks(connection, run_id, {})
    for series_id, samples in parts:
        outbox_seal.keep_positions(connection, sinks, series_id, samples, np.arange(len(samples)))
        chunks.write(connection, series_id, samples)
    return damaged


def _sound(
    rows: Iterator[LiveRow], sizes: dict[int, int], damaged: dict[int, LiveRow], share: int, shares: int
) -> Iterator[SampleBatch]:
    """Yield the samples of sound rows for a share of the series, and record how many each has."""
    for row in rows:
        if row.sound:
            sample_batch = row.sample_batch
            if shares > 1:
                sample_batch = sample_batch.only(sample_batch.numbers % shares == share)
            sizes[row.id] = sample_batch.n
            yield sample_batch
        else:
            damaged[row.id] = row
