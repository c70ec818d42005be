"""The readings of a log between its lines and its samples: parts by channel, block by block, on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from wattmark.importers.rows_on_disk import READING, RowsOnDisk, readings

Stamps = NDArray[np.int64]
Values = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ChannelPart:
    """The readings of one channel in a block, in the order of time: UTC [ns] and values.

    NaN where there is no reading, `UNUSABLE` where there is one that cannot be used. A stamp that is not later than an
    earlier one of its series is ``late``, and set to the latest of them.
    """

    channel: int
    t_ns: Stamps
    value: Values
    late: Flags

    @property
    def in_time(self) -> tuple[Stamps, Values]:
        """Return the readings that have a stamp of their own."""
        there = ~(self.late | np.isnan(self.value))
        return self.t_ns[there], self.value[there]

    @property
    def in_order(self) -> ChannelPart:
        """Return the part in the order of time."""
        if np.all(self.t_ns[1:] >= self.t_ns[:-1]):
            return self
        order = np.argsort(self.t_ns, kind="stable")
        return replace(self, t_ns=self.t_ns[order], value=self.value[order], late=self.late[order])


class PartsOnDisk:
    """Blocks of a log in a temporary file, so that its text is read once; the file goes with this object."""

    def __init__(self) -> None:
        self._rows = RowsOnDisk(READING)
        self._blocks: list[list[tuple[int, int]]] = []
        """Channel and length of each part."""

    def add(self, parts: Sequence[ChannelPart]) -> None:
        """Append a block. Raises `InputError` where there is no room."""
        for part in parts:
            self._rows.add(readings(part.t_ns, part.value, part.late))
        self._blocks.append([(part.channel, len(part.t_ns)) for part in parts])

    def read(self) -> Iterator[list[ChannelPart]]:
        """Read from the first block."""
        first = 0
        for block in self._blocks:
            parts = []
            for channel, count in block:
                rows = self._rows.part(first, count)
                parts.append(ChannelPart(channel, *(np.ascontiguousarray(rows[name]) for name in READING.names or ())))
                first += count
            yield parts
