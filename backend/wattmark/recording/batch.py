"""Samples of many series in columns, in order of arrival."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wattmark.store.sample_batch import SampleBatch
from wattmark.store.sample_store import Samples

Columns = tuple[Sequence[Any], ...]
"""Stamps [ns], values, qualities and uncertainties of the stamps [ns] of some readings."""


class Batch:
    """Columns over all series, 30 bytes a sample: the series and the sample."""

    __slots__ = ("quality", "series", "t_ns", "u_t_ns", "value")

    def __init__(self) -> None:
        self.series = array("I")
        self.t_ns = array("q")
        self.value = array("d")
        self.quality = array("H")
        self.u_t_ns = array("q")

    def add(self, series: Sequence[int], columns: Columns) -> None:
        """Append readings, with the number of the series of each at the same position."""
        t_ns, value, quality, u_t_ns = columns
        self.series.extend(series)
        self.t_ns.extend(t_ns)
        self.value.extend(value)
        self.quality.extend(quality)
        self.u_t_ns.extend(u_t_ns)

    def extend(self, later: Batch) -> None:
        """Append all samples of another batch."""
        for name in self.__slots__:
            getattr(self, name).extend(getattr(later, name))

    def sample_batch(self, stored: Mapping[int, int]) -> SampleBatch:
        """Copy the samples for the store, which numbers series itself."""
        u_t_s = (np.array(self.u_t_ns) * 1e-9).astype(np.float32)
        samples = Samples(np.array(self.t_ns), np.array(self.value), np.array(self.quality), u_t_s)
        return SampleBatch.of_columns(np.array(self.series), samples, stored.__getitem__)

    def without(self, series: set[int]) -> Batch:
        """Copy the batch without the samples of some series."""
        remaining = Batch()
        for name in self.__slots__:
            column = getattr(self, name)
            getattr(remaining, name).extend(
                item for number, item in zip(self.series, column, strict=True) if number not in series
            )
        return remaining

    def __len__(self) -> int:
        return len(self.series)
