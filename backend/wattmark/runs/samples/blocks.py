"""Read the samples of a run block by block, so that a file of any length needs little memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wattmark.store.sample_store import Samples, SampleStore, Series

BLOCK = 50_000
"""Approximate number of samples in memory at once."""


@dataclass(frozen=True, slots=True)
class Block:
    """Samples of one series that follow each other."""

    series: Series
    samples: Samples


def blocks(
    store: SampleStore, series: Sequence[Series], begin_ns: int | None = None, end_ns: int | None = None
) -> Iterator[Block]:
    """Return every sample with begin_ns <= t <= end_ns, series after series, each ordered by stamp.

    Samples excluded from results are included, with the reason as quality. None: from the first, to the last sample.
    """
    for stored_series in series:
        for first_ns, last_ns in _spans(store, stored_series, begin_ns, end_ns):
            samples = store.read(stored_series.id, first_ns, last_ns)
            if len(samples):
                yield Block(stored_series, samples)


def _spans(
    store: SampleStore, series: Series, begin_ns: int | None, end_ns: int | None
) -> Iterator[tuple[int | None, int | None]]:
    """Cut the time of a series into equal spans, about a block each; at one rate they hold as much."""
    parts = -(-series.n // BLOCK)
    if parts <= 1:
        yield begin_ns, end_ns
        return
    ends = store.envelope(series.id, parts, begin_ns, end_ns).t_ns
    if not len(ends):
        return
    edges = [int(t) for t in ends[:-1]]
    yield from zip([begin_ns, *(t + 1 for t in edges)], [*edges, end_ns], strict=True)
