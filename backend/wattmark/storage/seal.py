"""Move the live rows of a run into chunks, all in one transaction."""

from __future__ import annotations

from collections.abc import Iterator

import apsw

from wattmark.storage import chunks, outbox_seal, tail
from wattmark.storage.bundle import Bundle
from wattmark.storage.columns import pick
from wattmark.storage.tail import TailRow


def seal(connection: apsw.Connection, run_id: str) -> list[TailRow]:
    """Move the rows of a run; gives those that are damaged, which stay."""
    sizes: dict[int, int] = {}
    damaged: list[TailRow] = []
    live = Bundle.joined(_sound(tail.rows(connection, run_id), sizes, damaged))
    sinks = outbox_seal.sinks(connection, run_id, sizes)
    for series_id, places in live.places():
        samples = pick(live.samples, places)
        outbox_seal.keep_positions(connection, sinks, series_id, samples, places)
        chunks.write(connection, series_id, samples)
    outbox_seal.forget_live(connection, run_id)
    tail.delete(connection, list(sizes))
    return damaged


def _sound(rows: Iterator[TailRow], sizes: dict[int, int], damaged: list[TailRow]) -> Iterator[Bundle]:
    """Give what sound rows hold, and note how much of it each has."""
    for row in rows:
        if row.sound:
            bundle = row.bundle
            sizes[row.id] = len(bundle.samples)
            yield bundle
        else:
            damaged.append(row)
