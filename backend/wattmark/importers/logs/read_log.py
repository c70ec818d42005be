"""A log that was read to its end: its readings on disk, what is known of them, and the samples that they become."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from wattmark_drivers.reading import Quality

from wattmark.core.errors import InputError
from wattmark.importers.column_shape import ColumnShape
from wattmark.importers.importer import Block, Choices
from wattmark.importers.impossible_loads import ImpossibleLoads
from wattmark.importers.logs.log_blocks import BlocksOnDisk, ChannelPart, parts_of
from wattmark.importers.logs.log_loads import loads_of
from wattmark.importers.logs.log_meters import ChannelCount
from wattmark.importers.logs.log_reader import POWER, LogChannel, LogReader
from wattmark.importers.logs.log_rows import LogRows
from wattmark.importers.unread import Unread
from wattmark.runs.disclosure import SourceFileNote
from wattmark.store.sample_store import Samples, SeriesKey

_NEVER_NEGATIVE = (POWER, "apparent_power", "energy")
"""Channels of a server or another load as a whole. A part may be a battery, which is charged."""


class ReadLog:
    """A log of which every line was read once."""

    def __init__(self, reader: LogReader, files: Sequence[tuple[Path, str]], choices: Choices) -> None:
        """Read from the first line to the last. Raises `InputError` with what is wrong and what to do."""
        self.reader = reader
        self.unread = Unread()
        self.rows = LogRows(reader, list(files), self.unread, choices.zone)
        self.counts: dict[int, ChannelCount] = {}
        self.loads: dict[str, ImpossibleLoads] = {}
        """By source: its power against its volts and amperes."""
        self._shapes: dict[str, ColumnShape] = {}
        self._blocks = BlocksOnDisk()
        for block in self.rows.blocks():
            self._blocks.add(block)
            self._note(parts_of(block))

    def _note(self, parts: Sequence[ChannelPart]) -> None:
        for part in parts:
            self.counts.setdefault(part.channel, ChannelCount()).add(part.t_ns[~np.isnan(part.value)])
        for source, (_, load) in loads_of(self.reader.channels, parts).items():
            self.loads.setdefault(source, ImpossibleLoads(source)).add(load)
            self._shapes.setdefault(source, ColumnShape()).add(load.watts)

    @property
    def begin_ns(self) -> int:
        """Return the first stamp of a reading."""
        return min((count.first_ns for count in self.counts.values()), default=0)

    @property
    def end_ns(self) -> int:
        """Return the last stamp of a reading."""
        return max((count.last_ns for count in self.counts.values()), default=0)

    @property
    def files(self) -> list[SourceFileNote]:
        """Return name, size and digest of every file."""
        return self.rows.files

    @property
    def digest(self) -> str:
        """Return the digest of a single file, or one over those of all."""
        if len(self.files) == 1:
            return self.files[0].sha256
        return hashlib.sha256("".join(f"{note.file} {note.sha256}\n" for note in self.files).encode()).hexdigest()

    def require_sound(self, name: str) -> None:
        """Refuse stamps out of order, and a power that rises like a running total. Raises `InputError`."""
        self.rows.order.require()
        for source, shape in self._shapes.items():
            if shape.only_rises:
                raise InputError(
                    f"{name}: the power of {source[:80]!r} never falls in {shape.readings} lines and rises in "
                    f"{shape.rises}: it is a running total, such as energy.",
                    "Name the series of its power with --power.",
                )

    def samples(self, run_id: str, server: str) -> Iterator[Block]:
        """Yield the samples of the log's run, block by block."""
        channels = self.reader.channels
        keys = [_key(channel, run_id, server) for channel in channels]
        for block in self._blocks.read(tuple(self.rows.cut)):
            parts = parts_of(block)
            loads = loads_of(channels, parts)
            marks = {power.channel: self.loads[source].marks(load) for source, (power, load) in loads.items()}
            yield [(keys[part.channel], self._samples(part, marks.get(part.channel))) for part in parts]

    def _samples(self, part: ChannelPart, marks: NDArray[np.uint16] | None) -> Samples:
        """Return the readings of a channel; those that cannot be used, or whose stamp is not later, are invalid."""
        there, unusable = ~np.isnan(part.value), np.isinf(part.value)
        bad = unusable | part.late
        if self.reader.channels[part.channel].id in _NEVER_NEGATIVE:
            bad |= part.value < 0
        quality = np.where(bad, np.uint16(Quality.INVALID), np.uint16(0))
        if marks is not None:
            quality |= marks
        value = np.where(unusable, np.nan, part.value)[there]
        return Samples(part.t_ns[there], value, quality[there], np.full(len(value), self.reader.stamp_s, np.float32))


def _key(channel: LogChannel, run_id: str, server: str) -> SeriesKey:
    return SeriesKey(
        run_id,
        server,
        channel.source,
        channel.id,
        channel.quantity,
        channel.unit,
        channel.kind.value,
        label=channel.label[:200],
    )
