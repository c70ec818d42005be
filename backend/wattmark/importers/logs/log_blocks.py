"""The readings of a log between its lines and its samples: tables in the order of the lines, and parts by channel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wattmark.importers.cut_stamps import spread
from wattmark.importers.rows_on_disk import RowsOnDisk

Stamps = NDArray[np.int64]
Values = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Table:
    """Lines of a block that hold the same channels, in their order.

    Its rows have the ``place`` of their line in the block, ``t_ns`` in UTC, whether that is ``late`` (not later than an
    earlier one of its series, and set to the latest of them), and a ``value`` for each channel: NaN where there is no
    reading, `UNUSABLE` where there is one that cannot be used.
    """

    channels: tuple[int, ...]
    rows: NDArray[Any]

    @property
    def series(self) -> int:
        """Return the number of the series whose lines follow each other in time: that of its first channel."""
        return self.channels[0]


@dataclass(frozen=True, slots=True)
class ChannelPart:
    """The readings of one channel in a block, in the order of time: UTC [ns], values, and which stamps are late."""

    channel: int
    t_ns: Stamps
    value: Values
    late: Flags


def table_of(channels: tuple[int, ...], place: Stamps, t_ns: Stamps, late: Flags, value: Values) -> Table:
    """Return lines as a table; ``value`` has a row per line."""
    rows = np.empty(len(place), _row(len(channels)))
    rows["place"], rows["t_ns"], rows["late"], rows["value"] = place, t_ns, late, value
    return Table(channels, rows)


def parts_of(block: Sequence[Table]) -> list[ChannelPart]:
    """Return the readings of each channel in a block."""
    of_channel: dict[int, list[tuple[Stamps, Values, Flags]]] = {}
    for table in block:
        t_ns, late = np.ascontiguousarray(table.rows["t_ns"]), np.ascontiguousarray(table.rows["late"])
        for column, channel in enumerate(table.channels):
            value = np.ascontiguousarray(table.rows["value"][:, column])
            of_channel.setdefault(channel, []).append((t_ns, value, late))
    return [_part(channel, *zip(*of, strict=True)) for channel, of in of_channel.items()]


def _part(channel: int, t_ns: Sequence[Stamps], value: Sequence[Values], late: Sequence[Flags]) -> ChannelPart:
    if len(t_ns) == 1:
        part = ChannelPart(channel, t_ns[0], value[0], late[0])
    else:
        part = ChannelPart(channel, np.concatenate(t_ns), np.concatenate(value), np.concatenate(late))
    if np.all(part.t_ns[1:] >= part.t_ns[:-1]):
        return part
    order = np.argsort(part.t_ns, kind="stable")
    return ChannelPart(channel, part.t_ns[order], part.value[order], part.late[order])


class BlocksOnDisk:
    """Blocks of a log in a temporary file, so that its text is read once; the file goes with this object."""

    def __init__(self) -> None:
        self._bytes = RowsOnDisk(np.dtype(np.uint8))
        self._blocks: list[list[tuple[tuple[int, ...], int]]] = []
        """Of each table its channels and its lines."""

    def add(self, block: Sequence[Table]) -> None:
        """Append a block. Raises `InputError` where there is no room."""
        self._bytes.add(np.frombuffer(b"".join(table.rows.tobytes() for table in block), np.uint8))
        self._blocks.append([(table.channels, len(table.rows)) for table in block])

    def read(self, cut: Sequence[int]) -> Iterator[list[Table]]:
        """Read from the first block, with the stamps of the series spread that were ``cut`` to whole seconds."""
        first, latest_ns = 0, dict[int, int]()
        for tables in self._blocks:
            block = []
            for channels, lines in tables:
                row = _row(len(channels))
                block.append(Table(channels, self._bytes.part(first, lines * row.itemsize).view(row)))
                first += lines * row.itemsize
            for series in cut:
                block = _spread(block, series, latest_ns)
            yield block


def _row(channels: int) -> np.dtype[Any]:
    return np.dtype([("place", "<i4"), ("t_ns", "<i8"), ("late", "?"), ("value", "<f8", (channels,))])


def _spread(block: Sequence[Table], series: int, latest_ns: dict[int, int]) -> list[Table]:
    """Spread the stamps of a series over all of its lines in a block."""
    of_series = [table for table in block if table.series == series]
    if not of_series:
        return list(block)
    place = np.concatenate([table.rows["place"] for table in of_series])
    order = np.argsort(place)
    even = spread(np.concatenate([table.rows["t_ns"] for table in of_series])[order], latest_ns.get(series))
    latest_ns[series] = int(even[-1])
    return [
        _at(table, even[np.searchsorted(place[order], table.rows["place"])]) if table.series == series else table
        for table in block
    ]


def _at(table: Table, t_ns: Stamps) -> Table:
    """Return a table with other stamps, of which none is late."""
    return table_of(table.channels, table.rows["place"], t_ns, np.zeros(len(t_ns), np.bool_), table.rows["value"])
