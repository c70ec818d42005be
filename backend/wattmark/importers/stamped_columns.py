"""Stamps and values of a log on disk, so that what was read once is stored without reading the text again."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import suppress
from tempfile import TemporaryFile

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError

Stamps = NDArray[np.int64]
Values = NDArray[np.float64]


class StampedColumns:
    """Columns in a temporary file, a stamp [ns] and ``width`` values per line; the file goes with this object."""

    def __init__(self, width: int = 1) -> None:
        self._row = np.dtype([("t_ns", "<i8"), ("value", "<f8", (width,))])
        self._file = TemporaryFile()  # noqa: SIM115 - it stays open as long as this object
        weakref.finalize(self, self._file.close)

    def add(self, t_ns: Stamps, value: Values) -> None:
        """Append lines; ``value`` has a row per line. Raises `InputError` where there is no room."""
        rows = np.empty(len(t_ns), self._row)
        rows["t_ns"], rows["value"] = t_ns, value
        try:
            self._file.write(rows.tobytes())
            self._file.flush()
        except OSError as error:
            with suppress(OSError):  # it tries to write again
                self._file.close()
            raise InputError(
                f"The samples of the log cannot be written to a temporary file: {error.strerror or error}.",
                "Free as much as the log's size in the temporary folder, or name another one in TMPDIR.",
            ) from error

    def read(self, count: int) -> Iterator[tuple[Stamps, Values]]:
        """Read from the first line, ``count`` at a time."""
        place = 0
        while True:
            self._file.seek(place)
            data = self._file.read(count * self._row.itemsize)
            if not data:
                return
            place += len(data)
            rows = np.frombuffer(data, self._row)
            yield np.ascontiguousarray(rows["t_ns"]), np.ascontiguousarray(rows["value"])
