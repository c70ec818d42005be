"""The throughput of a log: work between its stamps, in as many intervals as a record can hold."""

from __future__ import annotations

import numpy as np

from wattmark.core.amounts import LEAST
from wattmark.exchange.importers.csv_mapping.log_rows import LogBlock
from wattmark.runs.record import ThroughputInterval

_MOST = 4096
"""Intervals of a record; of a longer log, neighbours are added up."""


class WorkDone:
    """Work between one reading of throughput and the next."""

    def __init__(self, column: int, *, counted: bool) -> None:
        self._column = column
        self._counted = counted
        """Readings are amounts since the reading before, not rates per second."""
        self._latest_ns: int | None = None
        self._spans: list[tuple[int, int, float]] = []
        self.negative = 0
        """Readings below 0, which are no work."""

    def add(self, block: LogBlock) -> None:
        """Add readings that follow the others."""
        values = block.value[:, self._column]
        for place in np.flatnonzero(~np.isnan(values)).tolist():
            t_ns, value = int(block.t_ns[place]), float(values[place])
            if value < 0:
                self.negative += 1
            elif self._latest_ns is not None:
                amount = value if self._counted else value * (t_ns - self._latest_ns) / 1e9
                self._spans.append((self._latest_ns, t_ns, amount if amount >= LEAST else 0.0))
                if len(self._spans) == 2 * _MOST:
                    self._add_up()
            self._latest_ns = t_ns

    @property
    def intervals(self) -> tuple[ThroughputInterval, ...]:
        """Return the intervals in time order."""
        return tuple(ThroughputInterval(begin_ns=b, end_ns=e, amount=amount) for b, e, amount in self._spans)

    def _add_up(self) -> None:
        """Add up each pair of neighbours that touch; after a negative reading they do not."""
        pairs = zip(self._spans[::2], self._spans[1::2], strict=True)
        self._spans = [(first[0], second[1], first[2] + second[2]) for first, second in pairs]
