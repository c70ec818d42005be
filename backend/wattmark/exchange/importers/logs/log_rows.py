"""A log as blocks of samples, in memory that does not grow with the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wattmark.core.amounts import LATEST_NS
from wattmark.exchange.importers.local_time import LocalClock
from wattmark.exchange.importers.logs.log_reader import LogReader, Row
from wattmark.exchange.importers.text_lines import TextLines
from wattmark.exchange.importers.unread import Unread
from wattmark.exchange.importers.zones import require_zone
from wattmark.runs.disclosure import SourceFileNote
from wattmark.workloads.loadgen.source_file import broken

LONGEST_LINE = 2**18
"""HWiNFO writes some 10 kB for 450 sensors."""
_VALUES = 50_000
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class ChannelPart:
    """Samples of one channel: UTC [ns] and values."""

    channel: int
    t_ns: NDArray[np.int64]
    value: NDArray[np.float64]


@dataclass(slots=True)
class LogRows:
    """Reads the files of a log once; afterwards `files` and `clock_notes` say what was read."""

    reader: LogReader
    sources: list[tuple[Path, str]]
    unread: Unread
    zone: tzinfo | None
    files: list[SourceFileNote] = field(default_factory=list)
    clock_notes: tuple[str, ...] = ()

    def blocks(self) -> Iterator[list[ChannelPart]]:
        """Yield blocks of samples. Raises `InputError` for a file that cannot be read, and where a zone is missing."""
        gathered, clock = _Gathered(), LocalClock(UTC)
        stamps: tuple[int, bool] | None = None
        for row in self._rows():
            if stamps != (self.reader.passes, self.reader.local):
                yield from self._finished(gathered, clock, stamps)
                stamps = self.reader.passes, self.reader.local
                clock = LocalClock(require_zone(self.zone, self.sources[0][1]) if self.reader.local else UTC)
            gathered.add(row)
            if gathered.values >= _VALUES:
                yield from gathered.taken(clock)
        yield from self._finished(gathered, clock, stamps)

    def _finished(
        self, gathered: _Gathered, clock: LocalClock, stamps: tuple[int, bool] | None
    ) -> Iterator[list[ChannelPart]]:
        yield from gathered.taken(clock)
        if stamps is not None and stamps[1]:
            self.clock_notes = tuple(dict.fromkeys((*self.clock_notes, *clock.notes)))

    def _rows(self) -> Iterator[Row]:
        for path, name in self.sources:
            file = TextLines(path, name, LONGEST_LINE, fallback="cp1252")
            self.reader.begin_file(name)
            for number, text in file:
                if number == 1:
                    _refuse_utf_16(path, name)
                line = text.strip("\r\0 \t\ufeff")
                if not line:
                    continue
                try:
                    rows = self.reader.read(line)
                    _check_stamps(rows)
                except (ValueError, OverflowError) as error:
                    self.unread.add(name, number, line, str(error))
                    continue
                yield from rows
            self.files.append(file.note)


class _Gathered:
    """Rows that have not been handed on yet; those of the same channels are one table."""

    def __init__(self) -> None:
        self._t_ns: list[int] = []
        self._tables: dict[tuple[int, ...], tuple[list[int], list[Sequence[float]]]] = {}
        self.values = 0

    def add(self, row: Row) -> None:
        if row.channels not in self._tables:
            self._tables[row.channels] = [], []
        places, values = self._tables[row.channels]
        places.append(len(self._t_ns))
        values.append(row.values)
        self._t_ns.append(row.t_ns)
        self.values += len(row.channels)

    def taken(self, clock: LocalClock) -> Iterator[list[ChannelPart]]:
        """Yield what was gathered as one block, and begin again."""
        if not self._t_ns:
            return
        utc = clock.to_utc(np.array(self._t_ns, dtype=np.int64))
        parts: dict[int, list[tuple[NDArray[np.int64], NDArray[np.float64]]]] = {}
        for channels, (places, values) in self._tables.items():
            table = np.array(values, dtype=np.float64)
            for column, channel in enumerate(channels):
                parts.setdefault(channel, []).append((utc[places], table[:, column]))
        self._t_ns, self._tables, self.values = [], {}, 0
        yield [
            ChannelPart(channel, np.concatenate([t for t, _ in of]), np.concatenate([value for _, value in of]))
            for channel, of in parts.items()
        ]


def _check_stamps(rows: Sequence[Row]) -> None:
    for row in rows:
        if not 0 <= row.t_ns <= LATEST_NS:
            raise ValueError("its stamp does not lie in the years 1970 to 2116")


def _refuse_utf_16(path: Path, name: str) -> None:
    with path.open("rb") as file:
        if file.read(2) in _UTF_16:
            raise broken(name, 1, "it is UTF-16 text", "Save it as UTF-8 and give that file.")
