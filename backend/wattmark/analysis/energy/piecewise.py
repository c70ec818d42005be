"""Power as a function of time, piece by piece, and its integral over any intervals."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.int64]
BLOCK = 65_536
"""Pieces that are integrated at a time: the column of their integrals stays in the processor's second cache."""
LONG = 2_000_000
"""Fewest pieces for which a further thread is worthwhile."""


@dataclass(frozen=True, slots=True)
class PiecewisePower:
    """Power between knots: linear from ``left`` to ``right`` in each piece [W], knots in seconds.

    ``covered`` is False for pieces without a measurement; their power is 0 and they do not count.
    """

    t_s: Array
    left: Array
    right: Array
    covered: NDArray[np.bool_]

    def energy_j(self, begin_s: Array, end_s: Array) -> Array:
        """Integrate measured power over each interval [J]."""
        return integrate(self.t_s, self.left, self.right, begin_s, end_s)

    def covered_s(self, begin_s: Array, end_s: Array) -> Array:
        """Compute the measured part of each interval [s]."""
        weight = self.covered.astype(np.float64)
        return integrate(self.t_s, weight, weight, begin_s, end_s)


def integrate(t_s: Array, left: Array, right: Array, begin_s: Array, end_s: Array) -> Array:
    """Integrate a piecewise linear function over many intervals [value x s].

    ``t_s`` are m + 1 knots in rising order, ``left`` and ``right`` the values at both ends of the m pieces (the same
    array for a step function). Parts of an interval outside the knots count as 0. One pass over the samples, in blocks,
    by `numpy.add.reduceat`; no running total, so no cancellation. Only overlapping intervals take memory for a column.
    Long series are integrated by as many threads as there are cores.
    """
    if len(left) == 0:
        return np.zeros(len(begin_s))
    begin = np.clip(begin_s, t_s[0], t_s[-1])
    end = np.clip(end_s, t_s[0], t_s[-1])
    shares = min(os.cpu_count() or 1, len(left) // LONG, len(begin))
    if shares < 2:
        return _integrate(t_s, left, right, begin, end)
    cut = [len(begin) * k // shares for k in range(shares + 1)]
    with ThreadPoolExecutor(shares) as threads:
        parts = threads.map(lambda a, b: _integrate(t_s, left, right, begin[a:b], end[a:b]), cut[:-1], cut[1:])
        return np.concatenate(list(parts))


def _integrate(t_s: Array, left: Array, right: Array, begin: Array, end: Array) -> Array:
    """Integrate over intervals that lie within the knots: whole pieces, and the parts of a piece at both ends."""
    first, last = _knots_inside(t_s, begin, end)
    # pieces of lines are summed as left + right, twice their mean
    total = _whole_pieces(t_s, left, right, first, last) * (1.0 if left is right else 0.5)
    inside = first <= last
    head_end, tail_begin = np.where(inside, t_s[np.minimum(first, len(t_s) - 1)], end), t_s[last]
    total += _part(t_s, left, right, np.maximum(first - 1, 0), begin, head_end)
    total += np.where(inside, _part(t_s, left, right, np.minimum(last, len(left) - 1), tail_begin, end), 0.0)
    return total


def _knots_inside(t_s: Array, begin: Array, end: Array) -> tuple[Index, Index]:
    """Find the first and the last knot of each interval; where intervals follow on one another one search does."""
    if not np.array_equal(begin[1:], end[:-1]):
        return np.searchsorted(t_s, begin, "left"), np.maximum(np.searchsorted(t_s, end, "right") - 1, 0)
    edge = np.concatenate((begin, end[-1:]))
    position = np.searchsorted(t_s, edge, "left")
    return position[:-1], np.maximum(position - (t_s[position] > edge), 0)[1:]


def _whole_pieces(t_s: Array, left: Array, right: Array, first: Index, last: Index) -> Array:
    """Sum the pieces first..last-1 of each interval; of lines twice that."""
    if len(first) == 0:
        return np.zeros(0)
    last = np.maximum(last, first)
    if np.any(last[:-1] > first[1:]):
        order = np.argsort(first, kind="stable")
        if np.any(last[order][:-1] > first[order][1:]):
            return _overlapping(t_s, left, right, first, last)
        total = np.empty(len(first))
        total[order] = _one_after_another(t_s, left, right, first[order], last[order])
        return total
    return _one_after_another(t_s, left, right, first, last)


def _one_after_another(t_s: Array, left: Array, right: Array, first: Index, last: Index) -> Array:
    """Sum pieces for intervals that do not overlap, block by block, so that no column leaves the processor's cache."""
    bounds = np.column_stack((first, last)).ravel()
    distinct = np.concatenate(([True], bounds[1:] > bounds[:-1]))
    edges = bounds[distinct]
    sums = np.zeros(len(edges))
    piece = np.empty(BLOCK)
    work = piece if left is right else np.empty(BLOCK)
    lows = np.arange(edges[0], edges[-1], BLOCK)
    positions = [*np.searchsorted(edges, lows).tolist(), len(edges) - 1]
    for low, begin, end in zip(lows.tolist(), positions[:-1], positions[1:], strict=True):
        high = min(low + BLOCK, int(edges[-1]))
        block = _pieces(t_s, left, right, low, high, piece[: high - low], work[: high - low])
        inside = edges[begin:end] - low
        if len(inside) and inside[0] == 0:
            sums[begin:end] += np.add.reduceat(block, inside)
        elif len(inside):
            sums[begin - 1 : end] += np.add.reduceat(block, np.concatenate(([0], inside)))
        else:
            sums[begin - 1] += block.sum()
    return np.where(last > first, sums[np.cumsum(distinct)[::2] - 1], 0.0)


def _overlapping(t_s: Array, left: Array, right: Array, first: Index, last: Index) -> Array:
    """Sum pieces for intervals that share some, in one pass over all of them."""
    low, high = int(first.min()), int(last.max())
    piece = np.zeros(high - low + 1)
    work = piece[:-1] if left is right else np.empty(high - low)
    _pieces(t_s, left, right, low, high, piece[:-1], work)
    bounds = np.column_stack((first - low, last - low)).ravel()
    return np.where(last > first, np.add.reduceat(piece, bounds)[::2], 0.0)


def _pieces(t_s: Array, left: Array, right: Array, low: int, high: int, out: Array, work: Array) -> Array:
    """Integrate each of the pieces low..high-1 into ``out``, of lines twice that; ``work`` is for lines only."""
    np.subtract(t_s[low + 1 : high + 1], t_s[low:high], out=out)
    if left is right:
        return np.multiply(out, left[low:high], out=out)
    np.add(left[low:high], right[low:high], out=work)
    return np.multiply(out, work, out=out)


def _part(t_s: Array, left: Array, right: Array, piece: Index, begin: Array, end: Array) -> Array:
    """Integrate the part begin..end of one piece per interval."""
    width = t_s[piece + 1] - t_s[piece]
    slope = np.divide(right[piece] - left[piece], width, out=np.zeros_like(width), where=width > 0)
    # the mean of a line over an interval is its value in the middle
    middle = 0.5 * (begin + end) - t_s[piece]
    return np.asarray((left[piece] + slope * middle) * (end - begin), dtype=np.float64)
