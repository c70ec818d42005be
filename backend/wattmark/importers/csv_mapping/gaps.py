"""Where readings are missing in a column, by the typical time between those around."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.importers.logs.log_blocks import Flags, Stamps

_GAP = 1.5
"""Typical times between readings; a longer one leaves room for a reading."""
_MOST_GAPS = 1 / 3
"""Share of the times around a reading that may be longer; of more, a logger writes when it has something to write."""
_AROUND = 11
"""Times between readings over which the typical one is taken: a logger may change its pace."""
_FEWEST = 8
"""Times between readings in which a typical one can be seen, if they are not all alike."""


@dataclass(slots=True)
class Gaps:
    """The time between the readings of a column, block by block."""

    typical_ns: float = np.inf
    """Median time between readings, of the longest block."""
    varies: bool = False
    """Whether there is a stretch in which no time between readings is typical."""
    _spans: int = 0
    _last: Stamps | None = None
    """The last stamps of the block before."""

    def before(self, t_ns: Stamps) -> Flags:
        """Return before which readings of a block others are missing, by their stamps in order [ns]."""
        earlier = np.zeros(0, np.int64) if self._last is None else self._last
        joined = np.concatenate((earlier, t_ns))
        self._last = joined[-_AROUND - 1 :]
        spans = np.diff(joined)
        is_gap = np.zeros(len(t_ns), np.bool_)
        if not (spans > 0).any():
            return is_gap
        typical = _medians(spans)
        long = spans > _GAP * typical
        self._note(spans, long)
        many = _shares(long) > _MOST_GAPS
        if many.any() or (len(spans) < _FEWEST and long.any()):
            self.varies = True
        kept = (long & ~many)[-len(t_ns) :]
        is_gap[len(t_ns) - len(kept) :] = kept
        return is_gap

    def _note(self, spans: Stamps, long: Flags) -> None:
        if len(spans) > self._spans:
            self._spans, self.typical_ns = len(spans), float(np.median(spans[spans > 0]))
        uneven = float(spans.max()) > _GAP * float(spans[spans > 0].min())
        if len(spans) < _FEWEST and uneven and not long.any():
            self.varies = True


def _medians(spans: Stamps) -> NDArray[np.float64]:
    """Return the median time around each; a repeated stamp counts as a usual one."""
    usual = float(np.median(spans[spans > 0]))
    return np.asarray(np.median(_windows(np.where(spans > 0, spans, usual)), axis=1))


def _shares(flags: Flags) -> NDArray[np.float64]:
    return np.asarray(_windows(flags.astype(np.float64)).mean(axis=1))


def _windows(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values around each one, as many for the first and the last as for others."""
    size = min(_AROUND, len(values))
    around = np.lib.stride_tricks.sliding_window_view(values, size)
    place = np.clip(np.arange(len(values)) - size // 2, 0, len(around) - 1)
    return around[place]
