"""A log that was read to its end: its readings on disk, what is known of them, and the samples that they become."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from wattmark_drivers.reading import Quality

from wattmark.importers.cut_stamps import CutStamps, spread
from wattmark.importers.importer import Block, Choices
from wattmark.importers.impossible_loads import ImpossibleLoads
from wattmark.importers.logs.log_blocks import ChannelPart, PartsOnDisk
from wattmark.importers.logs.log_channel import POWER, THROUGHPUT, LogChannel
from wattmark.importers.logs.log_loads import loads_of
from wattmark.importers.logs.log_meters import ChannelCount
from wattmark.importers.logs.log_reader import LogReader
from wattmark.importers.logs.log_rows import LogRows
from wattmark.importers.text_lines import NO_BREAK
from wattmark.importers.unread import Unread
from wattmark.runs.disclosure import SourceFileNote
from wattmark.store.sample_store import Samples, SeriesKey

_NEVER_NEGATIVE = (POWER, "apparent_power", "energy")
"""Channels of a server or another load as a whole. A part may be a battery, which is charged."""
_OF_METERS = ("power", "energy")
"""Quantities whose readings say how often a meter reads."""


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
        self._parts = PartsOnDisk()
        for parts in self.rows.blocks():
            for part in parts:
                steps = reader.channels[part.channel].quantity in _OF_METERS
                self.counts.setdefault(part.channel, ChannelCount()).add(part.t_ns[~np.isnan(part.value)], steps=steps)
            stored = reader.take(parts)
            self._parts.add(stored)
            for source, (_, load) in loads_of(reader.channels, stored).items():
                self.loads.setdefault(source, ImpossibleLoads(source)).add(load)
        for channel, count in self.counts.items():
            if cut := self._cut(channel):
                count.known_s = cut.period_s
            declared_s = reader.declared_s(channel)
            if declared_s is not None and declared_s < count.period_s:
                count.known_s = declared_s  # readings were lost, more than half of them

    def _cut(self, channel: int) -> CutStamps | None:
        return self.rows.cut.get(self.rows.series[channel])

    @property
    def declared_s(self) -> dict[str, float]:
        """Return by source of power how far apart the log declares its readings to be [s]."""
        declared = {
            channel.source: self.reader.declared_s(number)
            for number, channel in enumerate(self.reader.channels)
            if channel.quantity == "power"
        }
        return {source: period_s for source, period_s in declared.items() if period_s is not None}

    @property
    def begin_ns(self) -> int:
        """Return the first stamp of a reading."""
        return min((count.first_ns for count in self.counts.values()), default=0)

    @property
    def end_ns(self) -> int:
        """Return the last stamp of a reading."""
        return max((count.last_ns for count in self.counts.values()), default=0)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return how its stamps were read, and what its reader decided, one sentence each."""
        cut = [stamps.note for stamps in list(self.rows.cut.values())[:1]]
        return (*self.rows.clock_notes, *cut, *([] if self.rows.ended else [NO_BREAK]), *self.reader.notes)

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

    def blocks(self) -> Iterator[list[ChannelPart]]:
        """Yield the readings as they are stored, block by block."""
        return self._parts.read()

    def samples(self, run_id: str, server: str) -> Iterator[Block]:
        """Yield the samples of the log's run, block by block."""
        channels = self.reader.channels
        keys = [_key(channel, run_id, server) for channel in channels]
        latest_ns: dict[int, int] = {}
        for parts in self.blocks():
            loads = loads_of(channels, parts)
            marks = {power.channel: self.loads[source].marks(load) for source, (power, load) in loads.items()}
            yield [
                (keys[part.channel], samples)
                for part in parts
                if channels[part.channel].quantity != THROUGHPUT
                if len(samples := self._samples(part, marks.get(part.channel), latest_ns))
            ]

    def _samples(self, part: ChannelPart, marks: NDArray[np.uint16] | None, latest_ns: dict[int, int]) -> Samples:
        """Return the readings of a channel; those that cannot be used, or whose stamp is not later, are invalid.

        Stamps that were cut are spread, after ``latest_ns`` of their channel.
        """
        t_ns, late = part.t_ns, part.late
        if self._cut(part.channel):
            t_ns, late = spread(t_ns, latest_ns.get(part.channel)), np.zeros(len(t_ns), np.bool_)
            latest_ns[part.channel] = int(t_ns[-1])
        there = ~np.isnan(part.value)
        t_ns, value, bad = t_ns[there], part.value[there], late[there]
        unusable = np.isinf(value)
        bad[1:] |= t_ns[1:] == t_ns[:-1]  # of lines of two series
        if self.reader.channels[part.channel].id in _NEVER_NEGATIVE:
            bad |= value < 0
        quality = np.where(bad | unusable, np.uint16(Quality.INVALID), np.uint16(0))
        if marks is not None:
            quality |= marks[there]
        value = np.where(unusable, np.nan, value)
        return Samples(t_ns, value, quality, np.full(len(value), self.reader.stamp_s, np.float32))


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
