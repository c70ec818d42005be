"""Move samples of a run into chunks, all in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apsw
import numpy as np

from wattmark.storage import chunks, outbox_seal, tail
from wattmark.storage.bundle import Bundle, Part
from wattmark.storage.columns import pick
from wattmark.storage.tail import TailRow

AT_ONCE = 2**17
"""Samples that are sorted at once, in 8 MB: rows that hold more are read once for every share of the series."""


def seal(connection: apsw.Connection, run_id: str) -> list[TailRow]:
    """Move the live rows of a run; gives those that are damaged, which stay."""
    shares = 1 + tail.samples(connection, run_id) // AT_ONCE
    damaged: dict[int, TailRow] = {}
    sizes: dict[int, int] = {}
    for share in range(shares):
        before, sizes = sizes, {}
        live = Bundle.joined(_sound(tail.rows(connection, run_id), sizes, damaged, share, shares))
        if share and sizes.keys() != before.keys():
            raise apsw.CorruptError(f"live rows of run {run_id} are not read twice alike")
        sinks = outbox_seal.sinks(connection, run_id, sizes)
        for series_id, places in live.places():
            samples = pick(live.samples, places)
            outbox_seal.keep_positions(connection, sinks, series_id, samples, places)
            chunks.write(connection, series_id, samples)
    outbox_seal.forget_live(connection, run_id)
    tail.delete(connection, list(sizes))
    return list(damaged.values())


def write_sealed(connection: apsw.Connection, run_id: str, parts: Iterable[Part]) -> list[TailRow]:
    """Write samples of a run as chunks at once, behind its live rows, which are moved; gives the damaged ones."""
    damaged = seal(connection, run_id)
    sinks = outbox_seal.sinks(connection, run_id, {})
    for series_id, samples in parts:
        outbox_seal.keep_positions(connection, sinks, series_id, samples, np.arange(len(samples)))
        chunks.write(connection, series_id, samples)
    return damaged


def _sound(
    rows: Iterator[TailRow], sizes: dict[int, int], damaged: dict[int, TailRow], share: int, shares: int
) -> Iterator[Bundle]:
    """Give what sound rows hold of a share of the series, and note how much of it each has."""
    for row in rows:
        if row.sound:
            bundle = row.bundle
            if shares > 1:
                bundle = bundle.only(bundle.numbers % shares == share)
            sizes[row.id] = len(bundle.samples)
            yield bundle
        else:
            damaged[row.id] = row
