"""Pieces of several columns side by side along time, whatever their stamps: what each read when another was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.importers.logs.log_blocks import Stamps, Values

Readings = Mapping[int, tuple[Stamps, Values]]
_MOST_PIECES = 64
_PER_BLOCK = 4
_MOST_ROWS = 256
_FEWEST_ROWS = 32
_VALUES = 50_000


@dataclass(frozen=True, slots=True)
class Piece:
    """Columns along the stamps at which any of them has a reading: the latest of each, NaN before its first."""

    held: NDArray[np.float64]
    """A row for each stamp, a column for each series."""
    is_read: NDArray[np.bool_]
    """Where it is a reading of that stamp."""

    @property
    def together(self) -> bool:
        """Return whether all columns are read at the same stamps."""
        return bool(self.is_read.all())

    def beside(self, column: int) -> Iterator[tuple[Values, NDArray[np.float64]]]:
        """Iterate over the readings of a column with what all columns read: then, before, at its next, and before that.

        A total may be written one line before or after its parts, or at stamps of its own.
        """
        rows = np.flatnonzero(self.is_read[:, column])
        whole = self.held[rows, column]
        yield whole, self.held[rows]
        yield whole[1:], self.held[rows[1:] - 1]
        yield whole[:-1], self.held[rows[1:]]
        yield whole, self.held[np.append(rows[1:] - 1, len(self.held) - 1)]


class ColumnsInTime:
    """Keeps pieces from all over a log in bounded memory, block by block."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._rows = min(max(_VALUES // max(columns, 1), _FEWEST_ROWS), _MOST_ROWS)
        self._blocks = 0
        self._each = 1
        """Which blocks are kept: every one, every second ..."""
        self.pieces: list[Piece] = []

    def add(self, readings: Readings) -> None:
        """Keep pieces of a block; ``readings`` are those of each column, without any that cannot be used."""
        self._blocks += 1
        longest = max(readings.values(), key=lambda pair: len(pair[0]), default=None)
        if longest is None or not len(longest[0]) or (self._blocks - 1) % self._each:
            return
        t_ns = longest[0]
        for first in np.unique(np.linspace(0, max(len(t_ns) - self._rows, 0), _PER_BLOCK).astype(int) // self._rows):
            begin, end = first * self._rows, min((first + 1) * self._rows, len(t_ns)) - 1
            self._keep(readings, int(t_ns[begin]), int(t_ns[end]))
        if len(self.pieces) > _MOST_PIECES:
            self.pieces, self._each = self.pieces[::2], 2 * self._each

    def _keep(self, readings: Readings, begin_ns: int, end_ns: int) -> None:
        part = {}
        for column, (t_ns, value) in readings.items():
            begin, end = np.searchsorted(t_ns, begin_ns), np.searchsorted(t_ns, end_ns, "right")
            part[column] = t_ns[begin:end], value[begin:end]
        stamps = np.unique(np.concatenate([t_ns for t_ns, _ in part.values()]))
        held = np.full((len(stamps), self._columns), np.nan)
        is_read = np.zeros((len(stamps), self._columns), np.bool_)
        for column, (t_ns, value) in part.items():
            place = np.searchsorted(t_ns, stamps, "right") - 1
            held[place >= 0, column] = value[place[place >= 0]]
            is_read[np.searchsorted(stamps, t_ns), column] = True
        self.pieces.append(Piece(held, is_read))
