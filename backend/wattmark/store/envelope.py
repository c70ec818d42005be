"""Cut a series into time buckets for drawing; pure computation on arrays.

The cut works on cells. A cell is one sample, or one sealed chunk of which only the extremes are known; so a long
series is drawn from its chunks without reading the samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.store.chunks import Head
from wattmark.store.columns import usable
from wattmark.store.sample_store import Envelope, Samples


@dataclass(frozen=True, slots=True)
class Cells:
    """Spans of time, one after the other, each with the extremes and the sum of its usable samples.

    The extremes are NaN where a cell has no usable sample.
    """

    begin_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]
    total: NDArray[np.float64]
    n: NDArray[np.int64]
    n_usable: NDArray[np.int64]

    @classmethod
    def of_samples(cls, samples: Samples) -> Cells:
        """Create a cell of each sample."""
        good = usable(samples)
        unit_count = np.broadcast_to(np.int64(1), len(samples))
        if good.all():
            return cls(samples.t_ns, samples.t_ns, samples.value, samples.value, samples.value, unit_count, unit_count)
        extreme = np.where(good, samples.value, np.nan)
        total = np.where(good, samples.value, 0.0)
        return cls(samples.t_ns, samples.t_ns, extreme, extreme, total, unit_count, good.astype(np.int64))

    @classmethod
    def of_chunks(cls, heads: Sequence[Head]) -> Cells:
        """Create a cell of each chunk."""
        _, _, n, n_usable, t0, t1, vmin, vmax, vsum = zip(*heads, strict=True)
        begin, end = np.array(t0, np.int64), np.array(t1, np.int64)
        low, high, total = (np.array(column, np.float64) for column in (vmin, vmax, vsum))
        return cls(begin, end, low, high, total, np.array(n, np.int64), np.array(n_usable, np.int64))

    @classmethod
    def in_time(cls, parts: Sequence[Cells]) -> Cells:
        """Join cells in order of their begin."""
        order = np.argsort(np.concatenate([part.begin_ns for part in parts]), kind="stable")
        return cls(*(np.concatenate([getattr(part, name) for part in parts])[order] for name in cls.__slots__))

    @property
    def overlap(self) -> bool:
        """Return whether a cell begins before the one before it ends."""
        return bool(np.any(self.begin_ns[1:] < self.end_ns[:-1]))


def cut(cells: Cells, buckets: int) -> Envelope:
    """Group cells that are in order into at most ``buckets`` spans of equal length, empty ones excluded."""
    if cells.n.sum() <= buckets:
        return Envelope(cells.begin_ns, cells.minimum, cells.maximum, cells.minimum, cells.n, decimated=False)
    first = _first_cells(cells, buckets)
    last = np.append(first[1:], len(cells.n)) - 1
    n_usable = np.add.reduceat(cells.n_usable, first)
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.divide(
            np.add.reduceat(cells.total, first), n_usable, out=np.full(len(first), np.nan), where=n_usable > 0
        )
    return Envelope(
        cells.begin_ns[first] + (cells.end_ns[last] - cells.begin_ns[first]) // 2,
        np.fmin.reduceat(cells.minimum, first),
        np.fmax.reduceat(cells.maximum, first),
        mean,
        np.add.reduceat(cells.n, first),
        decimated=True,
    )


def _first_cells(cells: Cells, buckets: int) -> NDArray[np.intp]:
    begin, end = int(cells.begin_ns[0]), int(cells.begin_ns[-1])
    offsets = np.floor(np.arange(buckets) * ((end - begin) / buckets)).astype(np.int64)
    return np.unique(np.searchsorted(cells.begin_ns, begin + offsets, side="left"))
