"""A log as blocks of samples, in memory that does not grow with the log."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wattmark.core.amounts import LATEST_NS
from wattmark.importers.cut_stamps import SECOND_NS, CutStamps, spread
from wattmark.importers.local_time import LocalClock
from wattmark.importers.log_stamps import YEAR_2000_NS, StampOrder, require_one_rhythm, require_set_clock
from wattmark.importers.logs.log_reader import LogReader, Row
from wattmark.importers.text_lines import TextLines, ends_with_a_break
from wattmark.importers.unread import Unread
from wattmark.importers.zones import require_zone
from wattmark.runs.disclosure import SourceFileNote
from wattmark.workloads.loadgen.source_file import broken

LONGEST_LINE = 2**18
"""HWiNFO writes some 10 kB for 450 sensors."""
_VALUES = 50_000
InOrder = Callable[
    [int, NDArray[np.int64], NDArray[np.int64]],
    tuple[NDArray[np.int64], NDArray[np.bool_]],
]
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class ChannelPart:
    """Samples of one channel: UTC [ns] and values."""

    channel: int
    t_ns: NDArray[np.int64]
    value: NDArray[np.float64]
    in_order: NDArray[np.bool_]
    """Whether its stamp is later than those before it; others are set to the latest of them."""


@dataclass(slots=True)
class LogRows:
    """Reads the files of a log once; afterwards `files` and `clock_notes` say what was read."""

    reader: LogReader
    sources: list[tuple[Path, str]]
    unread: Unread
    zone: tzinfo | None
    cut: Mapping[int, CutStamps] | None = None
    """Series whose stamps a logger cut to whole seconds; None: find them."""
    files: list[SourceFileNote] = field(default_factory=list)
    clock_notes: tuple[str, ...] = ()
    order: StampOrder = field(init=False)
    cut_stamps: dict[int, CutStamps] = field(default_factory=dict)
    ended: bool = True
    """Whether every file ends with a line break."""
    _latest_ns: dict[int, int] = field(default_factory=dict)
    _lines: int = 0
    """Lines of all files so far."""
    _firsts: list[tuple[int, str]] = field(default_factory=list)
    """Lines of all files before each file, and its name."""

    def __post_init__(self) -> None:
        """Begin with no line."""
        self.order = StampOrder(self.sources[0][1], late=self.reader.late, where=self._where)

    def blocks(self) -> Iterator[list[ChannelPart]]:
        """Yield blocks of samples. Raises `InputError` for a file that cannot be read, and where a zone is missing."""
        gathered, clock = _Gathered(), LocalClock(UTC)
        stamps: tuple[int, bool] | None = None
        for row, number in self._rows():
            if stamps != (self.reader.passes, self.reader.local):
                yield from self._finished(gathered, clock, stamps)
                stamps = self.reader.passes, self.reader.local
                clock = LocalClock(require_zone(self.zone, self.sources[0][1]) if self.reader.local else UTC)
            gathered.add(row, number)
            if gathered.values >= _VALUES:
                yield from self._taken(gathered, clock)
        yield from self._finished(gathered, clock, stamps)
        self._judge_cut_stamps()

    def _judge_cut_stamps(self) -> None:
        """Find the series whose stamps repeat because they were cut to whole seconds."""
        if self.cut is not None:
            return
        self.cut_stamps = {series: cut for series, cut in self.cut_stamps.items() if cut.are_cut}
        for series in self.cut_stamps:
            self.order.forgive(series)

    def _finished(
        self, gathered: _Gathered, clock: LocalClock, stamps: tuple[int, bool] | None
    ) -> Iterator[list[ChannelPart]]:
        yield from self._taken(gathered, clock)
        if stamps is not None and stamps[1]:
            self.clock_notes = tuple(dict.fromkeys((*self.clock_notes, *clock.notes)))

    def _taken(self, gathered: _Gathered, clock: LocalClock) -> Iterator[list[ChannelPart]]:
        yield from gathered.taken(clock, self._in_order)

    def _in_order(
        self, series: int, utc: NDArray[np.int64], lines: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the stamps of a series as they are stored, and which are later than those before them."""
        if self.cut is None:
            if series not in self.cut_stamps:
                self.cut_stamps[series] = CutStamps()
                require_one_rhythm(self.sources[0][1], utc)
            self.cut_stamps[series].add(utc)
        elif series in self.cut:
            even = spread(utc, self._latest_ns.get(series))
            self._latest_ns[series] = int(even[-1])
            return even, np.ones(len(even), np.bool_)
        placed, wrong = self.order.place(series, utc, lines)
        return placed, ~wrong

    def _where(self, line: int) -> tuple[str, int]:
        """Return the file of a line that is counted over all files, and its number there."""
        before, name = self._firsts[bisect_left(self._firsts, (line, "")) - 1]
        return name, line - before

    def _rows(self) -> Iterator[tuple[Row, int]]:
        """Yield rows with their lines, counted over all files.

        A line that cannot be read is a row without values, where its place is known.
        """
        places = _Places(self.reader.single_table)
        for path, name in self.sources:
            file = TextLines(path, name, LONGEST_LINE, fallback="cp1252")
            self.reader.begin_file(name)
            first = self._lines
            self._firsts.append((first, name))
            for number, text in file:
                if number == 1:
                    _refuse_utf_16(path, name)
                self._lines = first + number
                line = text.strip("\r\0 \t\ufeff")
                if not line:
                    continue
                self.unread.lines += 1
                reader = self.reader
                reader.at, reader.of, reader.unusable = None, (), []
                try:
                    rows = reader.read(line)
                    _check_stamps(rows)
                except (ValueError, OverflowError) as error:
                    self.unread.add(name, number, line, str(error))
                    yield from places.of_unread(reader.at, reader.of, first + number)
                    continue
                for why in reader.unusable:
                    self.unread.add(name, number, line, why)
                for row in rows:
                    yield from places.before(row)
                    yield row, first + number
            self.files.append(file.note)
            self.ended = self.ended and ends_with_a_break(path)


class _Places:
    """Where the readings belong of lines that could not be read: at their stamp, or between their neighbours."""

    def __init__(self, single_table: bool) -> None:
        self._single_table = single_table
        self._latest: dict[int, Row] = {}
        self._waiting: dict[int, list[int]] = {}
        self._last: Row | None = None

    def of_unread(self, at: int | None, of: tuple[int, ...], number: int) -> Iterator[tuple[Row, int]]:
        """Yield the reading of an unread line that tells its stamp, or let it wait for the next of its channels."""
        channels = of or (self._last.channels if self._single_table and self._last else ())
        if not channels:
            return
        if at is not None and YEAR_2000_NS <= at <= LATEST_NS:
            row = Row(at, channels, [math.nan] * len(channels))
            yield from self.before(row)
            yield row, number
        elif channels[0] in self._latest:
            self._waiting.setdefault(channels[0], []).append(number)

    def before(self, row: Row) -> Iterator[tuple[Row, int]]:
        """Yield the readings that were lost between a row and the one of its channels before it."""
        if not row.channels:
            return
        series = row.channels[0]
        before = self._latest.get(series)
        self._latest[series] = self._last = row
        if before is None or not (numbers := self._waiting.pop(series, None)):
            return
        step_ns = (row.t_ns - before.t_ns) // (len(numbers) + 1)
        if step_ns <= 0:
            return
        # Between stamps of whole seconds a fraction would say that this log does not cut its stamps.
        digit_ns = 1 if (before.t_ns % SECOND_NS or row.t_ns % SECOND_NS) else SECOND_NS
        latest_ns = before.t_ns
        for place, number in enumerate(numbers, start=1):
            at_ns = (before.t_ns + place * step_ns) // digit_ns * digit_ns
            if at_ns > latest_ns:
                yield Row(at_ns, before.channels, [math.nan] * len(before.channels)), number
                latest_ns = at_ns


class _Gathered:
    """Rows that have not been handed on yet; those of the same channels are one table."""

    def __init__(self) -> None:
        self._t_ns: list[int] = []
        self._lines: list[int] = []
        self._series: list[int] = []
        self._tables: dict[tuple[int, ...], tuple[list[int], list[Sequence[float]]]] = {}
        self.values = 0

    def add(self, row: Row, number: int) -> None:
        if row.channels not in self._tables:
            self._tables[row.channels] = [], []
        places, values = self._tables[row.channels]
        places.append(len(self._t_ns))
        values.append(row.values)
        self._t_ns.append(row.t_ns)
        self._lines.append(number)
        self._series.append(row.channels[0] if row.channels else -1)
        self.values += len(row.channels)

    def taken(self, clock: LocalClock, in_order: InOrder) -> Iterator[list[ChannelPart]]:
        """Yield what was gathered as one block, and begin again."""
        if not self._t_ns:
            return
        utc, lines = clock.to_utc(np.array(self._t_ns, dtype=np.int64)), np.array(self._lines, dtype=np.int64)
        series_of, good = np.array(self._series), np.ones(len(utc), np.bool_)
        by_series = np.argsort(series_of, kind="stable")
        series, begins = np.unique(series_of[by_series], return_index=True)
        for number, index in zip(series.tolist(), np.split(by_series, begins[1:]), strict=True):
            utc[index], good[index] = in_order(number, utc[index], lines[index])
        parts: dict[int, list[tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]]] = {}
        for channels, (places, values) in self._tables.items():
            table = np.array(values, dtype=np.float64)
            for column, channel in enumerate(channels):
                parts.setdefault(channel, []).append((utc[places], table[:, column], good[places]))
        self._t_ns, self._lines, self._series, self._tables, self.values = [], [], [], {}, 0
        yield [
            ChannelPart(channel, *(np.concatenate(column) for column in zip(*of, strict=True)))
            for channel, of in parts.items()
        ]


def _check_stamps(rows: Sequence[Row]) -> None:
    for row in rows:
        if not 0 <= row.t_ns <= LATEST_NS:
            raise ValueError("its stamp does not lie in the years 1970 to 2116")
        require_set_clock(row.t_ns)


def _refuse_utf_16(path: Path, name: str) -> None:
    with path.open("rb") as file:
        if file.read(2) in _UTF_16:
            raise broken(name, 1, "it is UTF-16 text", "Save it as UTF-8 and give that file.")
