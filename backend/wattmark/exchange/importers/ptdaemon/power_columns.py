"""Stamps and watts of a log on disk, so that what was read once is stored without reading the text again."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import suppress
from tempfile import TemporaryFile

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError
from wattmark.exchange.importers.ptdaemon.power_lines import PowerLines

_ROW = np.dtype([("t_ns", "<i8"), ("watts", "<f8")])


class PowerColumns:
    """Columns in a temporary file, an eighth of the log's size; the file goes with this object."""

    def __init__(self) -> None:
        self._file = TemporaryFile()  # noqa: SIM115 - it stays open as long as this object
        weakref.finalize(self, self._file.close)

    def add(self, lines: PowerLines) -> None:
        """Write samples behind the others. Raises `InputError` where there is no room."""
        rows = np.empty(len(lines), _ROW)
        rows["t_ns"], rows["watts"] = lines.t_ns, lines.watts
        try:
            self._file.write(rows.tobytes())
            self._file.flush()
        except OSError as error:
            with suppress(OSError):  # it tries to write again
                self._file.close()
            raise InputError(
                f"The samples of the log cannot be written to a temporary file: {error.strerror or error}.",
                "Free an eighth of the log's size in the temporary folder, or name another one in TMPDIR.",
            ) from error

    def read(self, count: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """Read stamps and watts from the first, ``count`` samples at a time."""
        place = 0
        while True:
            self._file.seek(place)
            data = self._file.read(count * _ROW.itemsize)
            if not data:
                return
            place += len(data)
            rows = np.frombuffer(data, _ROW)
            yield np.ascontiguousarray(rows["t_ns"]), np.ascontiguousarray(rows["watts"])
