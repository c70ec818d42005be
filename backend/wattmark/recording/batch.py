"""Samples of many series in columns, in order of arrival."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

import numpy as np
from wattmark_drivers.reading import Reading

from wattmark.store.sample_batch import SampleBatch
from wattmark.store.sample_store import Samples


class Batch:
    """Columns over all series, 26 bytes a sample: which series, and what is known of the sample."""

    __slots__ = ("quality", "series", "t_ns", "u_t_s", "value")

    def __init__(self) -> None:
        self.series = array("I")
        self.t_ns = array("q")
        self.value = array("d")
        self.quality = array("H")
        self.u_t_s = array("f")

    def add(self, series: Sequence[int], readings: Sequence[Reading]) -> None:
        """Append readings, each of the series whose number stands at its place."""
        self.series.extend(series)
        self.t_ns.extend([reading.t_ns for reading in readings])
        self.value.extend([reading.value for reading in readings])
        self.quality.extend([reading.quality for reading in readings])
        self.u_t_s.extend([reading.u_t_ns * 1e-9 for reading in readings])

    def extend(self, later: Batch) -> None:
        """Append all samples of another batch."""
        for name in self.__slots__:
            getattr(self, name).extend(getattr(later, name))

    def sample_batch(self, stored: Mapping[int, int]) -> SampleBatch:
        """Copy the samples out for the store, which has its own number for each series."""
        distinct, which = np.unique(np.array(self.series), return_inverse=True)
        owners = np.array([stored[series] for series in distinct.tolist()], np.int64)[which]
        columns = np.array(self.t_ns), np.array(self.value), np.array(self.quality), np.array(self.u_t_s)
        return SampleBatch.of_columns(owners, Samples(*columns))

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
