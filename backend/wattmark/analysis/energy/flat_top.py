"""Readings cut off at one value: a meter at its limit that reports no overload repeats the same value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
FEWEST_READINGS = 20
FEWEST_VISITS = 5
"""As often must readings come back to the value; a few may agree by chance."""
FEWEST_STEPS = 5.0
"""Other readings must move by as many last digits from one to the next, or the digit alone makes them agree."""
COARSEST = 1e-3
"""A digit that is a larger share of the value hides the scatter under a power cap or a steady load."""
NEAR_STEPS = 10
"""Readings whose last digits differ by no more than these lie next to the value."""
CROWDED = 5.0
"""The value must hold as many times the readings that each digit next to it holds."""
MOST_STILL = 0.1
"""Of the other readings at most this share repeats the one before: a load that moves between fixed levels repeats."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The end of the readings at which most agree to the last digit, and the share of readings there [1]."""

    end: Literal["highest", "lowest"]
    value_w: float
    share: float
    cut: bool


def cut_readings(value: Array, resolution: float | None) -> Cut | None:
    """Find readings cut at their highest or lowest value; None where the digit is too coarse, or they are too few.

    Readings of a load scatter by many digits, and so do those next to the highest one: it holds one or two of them. A
    meter that clips puts all that lie beyond on one value, and none beyond it.
    """
    if len(value) < FEWEST_READINGS:
        return None
    moves = _moves(value)
    smallest = float(moves.min(where=moves > 0, initial=np.inf))
    if smallest == np.inf:
        return None
    del moves  # as large as the log
    digit = max(smallest if resolution is None else resolution, 0.0)
    ends: tuple[tuple[Literal["highest", "lowest"], float], ...] = (
        ("highest", float(value.max())),
        ("lowest", float(value.min())),
    )
    if digit > COARSEST * abs(ends[0][1]):
        return None
    return max((_end(value, name, end_w, digit) for name, end_w in ends), key=lambda end: (end.cut, end.share))


def _end(value: Array, name: Literal["highest", "lowest"], end_w: float, digit: float) -> Cut:
    """Judge one end of the readings."""
    distance = np.abs(value - end_w)
    at_end, near = distance < digit / 2, distance < (NEAR_STEPS + 0.5) * digit
    del distance  # as large as the log
    share = float(at_end.mean())
    if at_end.all():
        return Cut(name, end_w, share, cut=False)
    beside = float(np.count_nonzero(near & ~at_end)) / NEAR_STEPS
    moves = _moves(value)[~(at_end[1:] | at_end[:-1])]
    scatters = len(moves) > 0 and float(np.median(moves, overwrite_input=True)) >= FEWEST_STEPS * digit
    still = float(np.mean(moves < digit / 2)) if len(moves) else 1.0
    del moves
    crowded = np.count_nonzero(at_end) > CROWDED * max(beside, 1.0)
    cut = scatters and still <= MOST_STILL and crowded and _visits(at_end, value, digit) >= FEWEST_VISITS
    return Cut(name, end_w, share, bool(cut))


def _moves(value: Array) -> Array:
    """Compute by how much each reading differs from the one before."""
    moves = np.diff(value)
    return np.abs(moves, out=moves)


def _visits(at_end: NDArray[np.bool_], value: Array, digit: float) -> float:
    """Count how often readings come to the end, a long stay by as many of the longest stays elsewhere."""
    edges = np.flatnonzero(np.concatenate(([True], _moves(value) >= digit / 2, [True])))
    lengths, ends = np.diff(edges), at_end[edges[:-1]]
    usual = float(lengths.max(where=~ends, initial=1))
    return float(np.sum(np.ceil(lengths[ends] / usual - 1e-9)))
