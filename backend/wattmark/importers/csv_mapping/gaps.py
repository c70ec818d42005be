"""Where readings are missing in a column, by the typical time between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wattmark.importers.logs.log_blocks import Stamps

_GAP = 1.5
"""Typical times between readings; a longer one leaves room for a reading."""
_MOST_GAPS = 0.25
"""Share of the times between readings that may be longer; of more, a logger writes when it has something to write."""


@dataclass(slots=True)
class Gaps:
    """The time between the readings of a column, as its longest block shows it."""

    typical_ns: float = np.inf
    longest_ns: float = np.inf
    """Above which a reading is missing; infinite where no time between readings is typical."""
    spans: int = 0
    """Times between readings that were looked at."""

    def learn(self, t_ns: Stamps) -> None:
        """Take note of the stamps of a block [ns]."""
        spans = np.diff(t_ns)
        spans = spans[spans > 0]
        if len(spans) <= self.spans:
            return
        self.spans = len(spans)
        self.typical_ns = float(np.median(spans))
        longest = _GAP * self.typical_ns
        is_rhythm = np.count_nonzero(spans > longest) <= _MOST_GAPS * len(spans)
        self.longest_ns = longest if is_rhythm else np.inf

    @property
    def are_unknown(self) -> bool:
        """Return whether the readings come at no typical time."""
        return self.spans > 0 and self.longest_ns == np.inf
