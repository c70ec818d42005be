"""A log as blocks of readings in UTC, in memory that does not grow with the log."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wattmark.core.amounts import LATEST_NS
from wattmark.importers.cut_stamps import SECOND_NS, CutStamps
from wattmark.importers.local_time import LocalClock
from wattmark.importers.log_stamps import YEAR_2000_NS, StampOrder, require_set_clock
from wattmark.importers.logs.log_blocks import ChannelPart, Flags, Stamps
from wattmark.importers.logs.log_reader import LOST, UNUSABLE, Line, LogReader, LogRow
from wattmark.importers.text_lines import ends_with_a_break
from wattmark.importers.unread import Unread
from wattmark.importers.zones import require_zone
from wattmark.runs.disclosure import SourceFileNote
from wattmark.workloads.loadgen.source_file import broken

_VALUES = 50_000
"""Of a block, which the store takes in one commit."""
_UTF_16 = ("\u00ff\u00fe", "\u00fe\u00ff")
"""Its first signs, read as another encoding."""


@dataclass(slots=True)
class LogRows:
    """Reads the files of a log once; afterwards its attributes say what was read."""

    reader: LogReader
    sources: list[tuple[Path, str]]
    unread: Unread
    zone: tzinfo | None
    files: list[SourceFileNote] = field(default_factory=list)
    clock_notes: tuple[str, ...] = ()
    order: StampOrder = field(init=False)
    cut: dict[int, CutStamps] = field(default_factory=dict)
    """Series whose stamps a logger cut to whole seconds."""
    series: dict[int, int] = field(default_factory=dict)
    """Of each channel: its lines and those of others of the series follow each other in time."""
    count: int = 0
    """Rows with readings."""
    ended: bool = True
    """Whether every file ends with a line break."""
    _clock: LocalClock | None = None
    _lines: int = 0
    """Lines of all files so far."""
    _firsts: list[tuple[int, str]] = field(default_factory=list)
    """Lines of all files before each file, and its name."""

    def __post_init__(self) -> None:
        """Begin with no line."""
        self.order = StampOrder(self.sources[0][1], late=self.reader.late, where=self._where)

    def blocks(self) -> Iterator[list[ChannelPart]]:
        """Yield blocks of readings. Raises `InputError` for a file that cannot be read, and where a zone is missing."""
        gathered, passes = _Gathered(), self.reader.passes
        for line in self._rows():
            if self.reader.passes != passes:
                passes = self.reader.passes
                yield from self._taken(gathered)
                self._end_clock()
            if self.reader.local and self._clock is None:
                self._clock = LocalClock(require_zone(self.zone, self.sources[0][1]))
            gathered.add(line, local=self.reader.local)
            if gathered.values >= _VALUES:
                yield from self._taken(gathered)
        yield from self._taken(gathered)
        self._end_clock()
        for cut in self.cut.values():
            cut.repeated += self.reader.repeated
        self.cut = {series: cut for series, cut in self.cut.items() if cut.are_cut}
        for series in self.cut:
            self.order.forgive(series)

    def _end_clock(self) -> None:
        if self._clock is not None:
            self.clock_notes = tuple(dict.fromkeys((*self.clock_notes, *self._clock.notes)))
        self._clock = None

    def _taken(self, gathered: _Gathered) -> Iterator[list[ChannelPart]]:
        """Yield what was gathered as one block, and begin again."""
        if not gathered.lines:
            return
        self.count += len(gathered.lines)
        t_ns = np.array([line.row.t_ns for line in gathered.lines], dtype=np.int64)
        local, late = np.array(gathered.local), np.zeros(len(t_ns), np.bool_)
        if self._clock is not None:
            t_ns[local] = self._clock.to_utc(t_ns[local])
        for series, lines in gathered.series.items():
            place = np.array(lines)
            t_ns[place], late[place] = self._in_order(series, t_ns[place], [gathered.lines[at] for at in lines])
        parts: dict[int, list[tuple[Stamps, NDArray[np.float64], Flags]]] = {}
        for channels, (lines, values) in gathered.tables.items():
            place, table = np.array(lines), np.array(values, dtype=np.float64)
            for column, channel in enumerate(channels):
                self.series[channel] = channels[0]
                parts.setdefault(channel, []).append((t_ns[place], table[:, column], late[place]))
        yield [
            ChannelPart(channel, *(np.concatenate(column) for column in zip(*of, strict=True))).in_order
            for channel, of in parts.items()
        ]
        gathered.clear()

    def _in_order(self, series: int, t_ns: Stamps, lines: Sequence[Line]) -> tuple[Stamps, Flags]:
        """Return the stamps of a series as they are stored, and which are not later than those before them."""
        if series not in self.cut:
            self.cut[series] = CutStamps()
            self.reader.require_one_series(self.sources[0][1], t_ns, lines)
        cut = self.cut[series]
        cut.add(t_ns)
        _note_repeated(cut, t_ns, lines)
        numbers = np.array([line.number for line in lines])
        return self.order.place(series, t_ns, numbers, lambda place: lines[place].text)

    def _where(self, line: int) -> tuple[str, int]:
        """Return the file of a line that is counted over all files, and its number there."""
        before, name = self._firsts[bisect_left(self._firsts, (line, "")) - 1]
        return name, line - before

    def _rows(self) -> Iterator[Line]:
        """Yield rows with their lines. A line that cannot be read is a row without values, where its place is known."""
        places = _Places(self.reader.single_table)
        for path, name in self.sources:
            file = self.reader.lines(path, name)
            self.reader.begin_file(name)
            first = self._lines
            self._firsts.append((first, name))
            for number, text in file:
                if number == 1 and text.startswith(_UTF_16):
                    raise broken(name, 1, "it is UTF-16 text", "Save it as UTF-8 and give that file.")
                self._lines = first + number
                line = text.strip(self.reader.padding)
                if not line or line.isspace():
                    continue
                reader = self.reader
                reader.line, reader.at, reader.of, reader.unusable = number, None, (), []
                try:
                    rows = reader.read(line)
                    if rows is None:
                        continue
                    _check_stamps(rows)
                except (ValueError, OverflowError) as error:
                    self.unread.lines += 1
                    self.unread.add(name, number, line, str(error))
                    yield from places.of_unread(reader.at, reader.of, first + number, line)
                    continue
                self.unread.lines += 1
                for why in reader.unusable:
                    self.unread.add(name, number, line, why)
                for row in rows:
                    if row.channels:
                        yield from places.before(row)
                        yield Line(row, first + number, line)
            self.files.append(file.note)
            self.ended = self.ended and ends_with_a_break(path)


class _Places:
    """Where the readings belong of lines that could not be read: at their stamp, or between their neighbours."""

    def __init__(self, single_table: bool) -> None:
        self._single_table = single_table
        self._latest: dict[int, LogRow] = {}
        self._waiting: dict[int, list[tuple[int, str]]] = {}
        self._last: LogRow | None = None

    def of_unread(self, at: int | None, of: tuple[int, ...], number: int, text: str) -> Iterator[Line]:
        """Yield the reading of an unread line that tells its stamp, or let it wait for the next of its channels."""
        channels = of or (self._last.channels if self._single_table and self._last else ())
        if not channels:
            return
        if at is not None and YEAR_2000_NS <= at <= LATEST_NS:
            row = LogRow(at, channels, [UNUSABLE] * len(channels))
            yield from self.before(row)
            yield Line(row, number, text)
        elif channels[0] in self._latest:
            self._waiting.setdefault(channels[0], []).append((number, text))

    def before(self, row: LogRow) -> Iterable[Line]:
        """Return the readings that were lost between a row and the one of its channels before it."""
        series = row.channels[0]
        before = self._latest.get(series)
        self._latest[series] = self._last = row
        waiting = self._waiting.pop(series, None) if self._waiting else None
        return () if before is None or waiting is None else self._between(before, row, waiting)

    @staticmethod
    def _between(before: LogRow, row: LogRow, waiting: Sequence[tuple[int, str]]) -> Iterator[Line]:
        step_ns = (row.t_ns - before.t_ns) // (len(waiting) + 1)
        if step_ns <= 0:
            return
        # Between stamps of whole seconds a fraction would say that this log does not cut its stamps.
        digit_ns = 1 if (before.t_ns % SECOND_NS or row.t_ns % SECOND_NS) else SECOND_NS
        latest_ns = before.t_ns
        for place, (number, text) in enumerate(waiting, start=1):
            at_ns = (before.t_ns + place * step_ns) // digit_ns * digit_ns
            if at_ns > latest_ns:
                yield Line(LogRow(at_ns, before.channels, [LOST] * len(before.channels)), number, text)
                latest_ns = at_ns


class _Gathered:
    """Rows that have not been handed on yet: a table for the same channels, a series for the same first one."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin again."""
        self.lines: list[Line] = []
        self.local: list[bool] = []
        self.series: dict[int, list[int]] = {}
        self.tables: dict[tuple[int, ...], tuple[list[int], list[Sequence[float]]]] = {}
        self.values = 0

    def add(self, line: Line, *, local: bool) -> None:
        """Add a row whose stamp is local time, or UTC."""
        place, channels = len(self.lines), line.row.channels
        if channels not in self.tables:
            self.tables[channels] = [], []
        places, values = self.tables[channels]
        places.append(place)
        values.append(line.row.values)
        self.series.setdefault(channels[0], []).append(place)
        self.lines.append(line)
        self.local.append(local)
        self.values += len(channels)


def _note_repeated(cut: CutStamps, t_ns: Stamps, lines: Sequence[Line]) -> None:
    """Count the lines of a block that are the same as the one before."""
    equal = np.flatnonzero(t_ns[1:] == t_ns[:-1]).tolist()
    repeated = sum(lines[place].text == lines[place + 1].text for place in equal)
    if repeated:
        cut.repeated += repeated
        cut.same_values += sum(a.row.values == b.row.values for a, b in pairwise(lines) if a.row.t_ns != b.row.t_ns)


def _check_stamps(rows: Sequence[LogRow]) -> None:
    for row in rows:
        if not 0 <= row.t_ns <= LATEST_NS:
            raise ValueError("its stamp does not lie in the years 1970 to 2116")
        require_set_clock(row.t_ns)
