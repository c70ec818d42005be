"""Rows of numbers in a temporary file: what was read once is written without reading the text again."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import suppress
from tempfile import SpooledTemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError

_IN_MEMORY = 2**20
"""Bytes of rows for which no file is opened."""
Rows = NDArray[Any]
READING = np.dtype([("t_ns", "<i8"), ("value", "<f8"), ("late", "?")])
"""A reading of a log: UTC [ns], value, and whether its stamp is not later than an earlier one."""


def readings(t_ns: NDArray[np.int64], value: NDArray[np.float64], late: NDArray[np.bool_]) -> Rows:
    """Return readings as rows."""
    rows = np.empty(len(t_ns), READING)
    rows["t_ns"], rows["value"], rows["late"] = t_ns, value, late
    return rows


class RowsOnDisk:
    """Rows of one structured type, in the order in which they were added; the file goes with this object."""

    def __init__(self, row: np.dtype[Any]) -> None:
        self.row = row
        self.count = 0
        self._file = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - it stays open as long as this object
        weakref.finalize(self, self._file.close)

    def add(self, rows: Rows) -> None:
        """Append rows. Raises `InputError` where there is no room."""
        self.count += len(rows)
        try:
            self._file.seek(0, 2)
            self._file.write(rows.tobytes())
            self._file.flush()
        except OSError as error:
            with suppress(OSError):  # it tries to write again
                self._file.close()
            raise InputError(
                f"The samples of the log cannot be written to a temporary file: {error.strerror or error}.",
                "Free as much as the log's size in the temporary folder, or name another one in TMPDIR.",
            ) from error

    def read(self, count: int) -> Iterator[Rows]:
        """Read from the first row, ``count`` at a time."""
        for first in range(0, self.count, count):
            yield self.part(first, count)

    def part(self, first: int, count: int) -> Rows:
        """Read ``count`` rows, or what there is of them, from one on."""
        self._file.seek(first * self.row.itemsize)
        return np.frombuffer(self._file.read(count * self.row.itemsize), self.row)
