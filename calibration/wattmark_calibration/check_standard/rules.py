"""Runs rules of a control chart, on values standardised as z = (x - centre) / s."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rule:
    """A named test. ``signals`` marks the points that complete the pattern."""

    name: str
    text: str
    signals: Callable[[Array], Flags]


def k_of_m_beyond(k: int, m: int, limit: float) -> Callable[[Array], Flags]:
    """Mark points that complete k of m in a row beyond ``limit`` s on one side; the point itself is one of them."""

    def signals(z: Array) -> Flags:
        up, down = z > limit, z < -limit
        done = (up & (_running_sum(up, m) >= k)) | (down & (_running_sum(down, m) >= k))
        return np.asarray(done, dtype=np.bool_)

    return signals


def same_side(m: int) -> Callable[[Array], Flags]:
    """Mark points that complete m in a row on one side of the centre."""
    return k_of_m_beyond(m, m, 0.0)


def trend(m: int) -> Callable[[Array], Flags]:
    """Mark points that complete m in a row that all rise or all fall."""

    def signals(z: Array) -> Flags:
        step = np.diff(z, prepend=z[:1])
        done = (_running_sum(step > 0, m - 1) == m - 1) | (_running_sum(step < 0, m - 1) == m - 1)
        return np.asarray(done, dtype=np.bool_)

    return signals


def alternating(m: int) -> Callable[[Array], Flags]:
    """Mark points that complete m in a row that alternately rise and fall."""

    def signals(z: Array) -> Flags:
        step = np.diff(z, prepend=z[:1])
        turned = np.zeros(len(z), dtype=np.bool_)
        turned[1:] = step[1:] * step[:-1] < 0
        # m points that alternate have m - 2 turns
        return np.asarray(_running_sum(turned, m - 2) == m - 2, dtype=np.bool_)

    return signals


def within(m: int, limit: float) -> Callable[[Array], Flags]:
    """Mark points that complete m in a row within ``limit`` s of the centre."""
    return lambda z: _running_sum(np.abs(z) < limit, m) == m


def none_within(m: int, limit: float) -> Callable[[Array], Flags]:
    """Mark points that complete m in a row beyond ``limit`` s, on both sides of the centre."""

    def signals(z: Array) -> Flags:
        both = (_running_sum(z > limit, m) > 0) & (_running_sum(z < -limit, m) > 0)
        return np.asarray((_running_sum(np.abs(z) > limit, m) == m) & both, dtype=np.bool_)

    return signals


def _running_sum(flags: Flags, m: int) -> NDArray[np.int64]:
    """Count the flags among the last m points, up to each point."""
    total = np.concatenate([[0], np.cumsum(flags)])
    first = np.maximum(np.arange(len(flags)) + 1 - m, 0)
    return np.asarray(total[1:] - total[first], dtype=np.int64)


WESTERN_ELECTRIC = (
    Rule("WE 1", "1 point beyond 3 s", k_of_m_beyond(1, 1, 3)),
    Rule("WE 2", "2 of 3 points beyond 2 s on one side", k_of_m_beyond(2, 3, 2)),
    Rule("WE 3", "4 of 5 points beyond 1 s on one side", k_of_m_beyond(4, 5, 1)),
    Rule("WE 4", "8 points in a row on one side of the centre", same_side(8)),
)
"""Western Electric, Statistical Quality Control Handbook (1956), p. 25 to 27."""

NELSON = (
    Rule("Nelson 1", "1 point beyond 3 s", k_of_m_beyond(1, 1, 3)),
    Rule("Nelson 2", "9 points in a row on one side of the centre", same_side(9)),
    Rule("Nelson 3", "6 points in a row rising or falling", trend(6)),
    Rule("Nelson 4", "14 points in a row alternating", alternating(14)),
    Rule("Nelson 5", "2 of 3 points beyond 2 s on one side", k_of_m_beyond(2, 3, 2)),
    Rule("Nelson 6", "4 of 5 points beyond 1 s on one side", k_of_m_beyond(4, 5, 1)),
    Rule("Nelson 7", "15 points in a row within 1 s", within(15, 1)),
    Rule("Nelson 8", "8 points in a row beyond 1 s, on both sides", none_within(8, 1)),
)
"""L. S. Nelson, The Shewhart control chart: tests for special causes, J. Quality Technology 16 (1984) 237."""
