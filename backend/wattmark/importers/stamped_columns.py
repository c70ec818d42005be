"""Stamps and values of a log on disk, so that what was read once is stored without reading the text again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wattmark.importers.rows_on_disk import RowsOnDisk

Stamps = NDArray[np.int64]
Values = NDArray[np.float64]


class StampedColumns:
    """Columns in a temporary file, a stamp [ns] and ``width`` values per line; the file goes with this object."""

    def __init__(self, width: int = 1) -> None:
        self._rows = RowsOnDisk(np.dtype([("t_ns", "<i8"), ("value", "<f8", (width,))]))

    def add(self, t_ns: Stamps, value: Values) -> None:
        """Append lines; ``value`` has a row per line. Raises `InputError` where there is no room."""
        rows = np.empty(len(t_ns), self._rows.row)
        rows["t_ns"], rows["value"] = t_ns, value
        self._rows.add(rows)

    def read(self, count: int) -> Iterator[tuple[Stamps, Values]]:
        """Read from the first line, ``count`` at a time."""
        for rows in self._rows.read(count):
            yield np.ascontiguousarray(rows["t_ns"]), np.ascontiguousarray(rows["value"])
