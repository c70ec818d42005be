"""A log as columns, block by block: stamps in UTC and the values of each column in its stored unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wattmark.core.amounts import Decimal
from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.csv_rows import CsvRows, Row, wrong_width
from wattmark.importers.csv_mapping.header import Places, find_places, require_units_row
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.csv_mapping.numbers import Cell, decimals, parse_cell, require_clear, unit_of
from wattmark.importers.csv_mapping.stacked import quantity_columns, require_one_series, require_same_quantity
from wattmark.importers.csv_mapping.stamp_format import Stamp, early_hint, parse_stamp
from wattmark.importers.csv_mapping.units import INTERVAL_ENERGY
from wattmark.importers.cut_stamps import CutStamps
from wattmark.importers.local_time import LocalClock
from wattmark.importers.log_stamps import YEAR_2000_NS, StampOrder
from wattmark.importers.logs.wall_clock import as_if_utc_ns
from wattmark.importers.unread import Unread
from wattmark.importers.zones import require_zone

_BLOCK = 20_000
"""Lines that are converted at once."""
_LOOKED_AT = 4000
"""Lines in which stacked series are looked for."""
_NO_READING = float("nan")
UNUSABLE = float("inf")
"""Value of an unreadable cell at the stamp of its line: stored as an invalid reading."""
_ANY = "*"
_THREE_DIGITS = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
"""A number that is grouped in thousands, or has three decimals."""
_GROUP = 3
"""Digits of a number that needs no groups."""


@dataclass(frozen=True, slots=True)
class LogBlock:
    """Readings in the order of their lines. ``value`` has a column per column of the mapping.

    NaN where there is no reading, `UNUSABLE` where there is one that cannot be used. A stamp that is not later than
    that of an earlier line of its series is set to that of the latest.
    """

    t_ns: NDArray[np.int64]
    value: NDArray[np.float64]


@dataclass(slots=True)
class LogForm:
    """How the readings were written, known after the last."""

    decimals: list[int]
    """Most decimals of each column."""
    coarsest: list[float]
    """Last digit of each column's readings in another unit than its own, as stored; 0: there are none."""
    stamp_digits: int = -1
    """Most decimals of the seconds of a stamp; -1: minutes only."""
    lines: int = 0
    """Lines below the header that are not empty."""
    other_series: int = 0
    """Lines of series that the mapping does not choose."""
    headings: int = 0
    """Lines that repeat the header."""
    cut: CutStamps | None = None
    """The stamps, where they were cut to whole seconds."""
    notes: tuple[str, ...] = ()
    """How the stamps were read."""


class _Cell(NamedTuple):
    """Where a column is, and how its cells become values."""

    place: int
    name: str | int
    quantity: str
    unit: str
    counts_decimals: bool
    where: tuple[tuple[int, str], ...]
    """Cells that must hold these texts."""


@dataclass(slots=True)
class _PointGroups:
    """Numbers such as 1.200 in a file that separates its columns as those with decimal commas do."""

    first: tuple[str, str] | None = None
    """Place and text of the first such number."""

    def add(self, where: str, number: str) -> bool:
        """Take note of a number; return False where it shows that the point separates decimals."""
        if _THREE_DIGITS.fullmatch(number):
            self.first = self.first or (where, number)
            return True
        return "." not in number and len(number.lstrip("+-")) <= _GROUP


@dataclass(slots=True)
class _Block:
    rows: list[Row] = field(default_factory=list)
    stamps: list[Stamp] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)
    series: list[int] = field(default_factory=list)


class LogRows:
    """The readings of a log; ``form`` is complete after the last."""

    def __init__(
        self, rows: CsvRows, mapping: CsvMapping, zone: tzinfo | None, unread: Unread, begin: datetime | None = None
    ) -> None:
        self._rows = rows
        self._mapping = mapping
        self._zone = zone
        self._unread = unread
        self.order = StampOrder(rows.name)
        self._clock: LocalClock | None = None
        self._series: dict[tuple[bool, ...], int] = {}
        self._cut = CutStamps()
        self._width = 0
        self._quantity_columns: tuple[int, ...] = ()
        self._quantities: dict[int, str] = {}
        """What the columns say that name unit or quantity of each line."""
        self._format = mapping.time.format if mapping.time else ""
        self._begin = begin
        self._origin_ns: int | None = None
        self._ambiguous: tuple[str, str] | None = None
        self._clear = mapping.delimiter == ","
        self._groups: _PointGroups | None = None
        if mapping.delimiter == ";" and "decimal" not in mapping.model_fields_set:
            self._groups = _PointGroups()
        self.form = LogForm([0] * len(mapping.columns), [0.0] * len(mapping.columns))

    def __iter__(self) -> Iterator[LogBlock]:
        """Read block by block; lines that are not understood are counted. Raises `InputError`."""
        mapping, block = self._mapping, _Block()
        names: list[str] = []
        heads: dict[int, list[str]] = {}
        cells: list[_Cell] = []
        places: Places | None = None
        needed, looked = 0, False
        for row in self._rows:
            if row.number <= mapping.header_rows:
                names = row.cells or [] if row.number == mapping.names_row else names
                heads[row.number] = row.cells or []
                continue
            if not row.text.strip():
                continue
            if places is None:
                places = find_places(mapping, names, self._rows.name)
                require_units_row(mapping, places, heads | {row.number: row.cells or []}, self._rows.name)
                cells, needed = self._cells(places), places.cells
                self._origin_ns = self._read_begin()
                self._quantity_columns = quantity_columns(names, places)
                self._width = len(names) or len(row.cells or [])
            if names and row.cells == names:
                self.form.headings += 1
                continue
            if (read := self._read_or_count(row, names, places, cells, needed)) is None:
                continue
            stamp, values, series = read
            block.rows.append(row)
            block.stamps.append(stamp)
            block.values.append(values)
            block.series.append(series)
            if len(block.rows) >= _BLOCK:
                yield self._converted(block, names, places, looked=looked)
                block, looked = _Block(), True
        if block.rows and places is not None:
            yield self._converted(block, names, places, looked=looked)
        self._finish()

    def _read_or_count(
        self, row: Row, names: Sequence[str], places: Places, cells: list[_Cell], needed: int
    ) -> tuple[Stamp, list[float], int] | None:
        """Read a line; None for one that gives no reading, which is counted as what it is."""
        self.form.lines += 1
        try:
            read = self._read(row, places.time, cells, needed)
        except ValueError as error:
            if self._is_heading(row, names, places):
                self.form.headings += 1
                self.form.lines -= 1
            else:
                self._unread.add(self._rows.name, row.number, row.text, str(error))
            return None
        if read is None:
            self.form.other_series += 1
        else:
            self._require_same_quantity(row, names)
        return read

    def _require_same_quantity(self, row: Row, names: Sequence[str]) -> None:
        cells = row.cells or []
        for place in self._quantity_columns:
            if place < len(cells) and cells[place]:
                before = self._quantities.setdefault(place, cells[place])
                require_same_quantity(self._rows.name, row.number, names[place], before, cells[place])

    def _is_heading(self, row: Row, names: Sequence[str], places: Places) -> bool:
        """Return whether a line names the columns once more, beside others, and each where it was.

        Raises `InputError` where it names them at other places: a logger that was started anew.
        """
        cells = row.cells or []
        there = [name for name in names if name]
        if len(there) < 2 or 2 * sum(cell in there for cell in cells if cell) <= len([cell for cell in cells if cell]):
            return False
        mapped = {*places.time, *places.columns}
        moved = [names[place] for place in sorted(mapped) if place >= len(cells) or cells[place] != names[place]]
        if moved:
            raise InputError(
                f"{self._rows.name}, line {row.number}: the columns are named once more, and {moved[0]!r} does not "
                "stand where it stood before.",
                "Split the file before that line, and import each part by a mapping of its own.",
            )
        return True

    def _finish(self) -> None:
        """Judge what only the whole log shows. Raises `InputError` where the decimal sign is ambiguous."""
        if self._ambiguous is not None and not self._clear:
            require_clear(*self._ambiguous, self._mapping.decimal)
        if self._groups is not None and self._groups.first is not None:
            require_clear(*self._groups.first, ",")
        notes = self._clock.notes if self._clock else ("Stamps name their time zone, or count from 1970 UTC.",)
        if self._origin_ns is not None and self._begin is not None:
            notes = (f"Stamps count from {self._begin} in {self._zone}, as the person who imported it said.",)
        form = self.form
        if form.other_series:
            notes = (*notes, f"{form.other_series} lines of other series were not asked for.")
        if len(self._series) == 1 and self._cut.are_cut:
            form.cut = self._cut
            self.order.forgive(0)
            notes = (*notes, self._cut.note)
        form.notes = notes

    def _read_begin(self) -> int | None:
        """Return the instant from which stamps count; None: they are dates. Raises `InputError`."""
        if self._begin is None:
            return None
        if not self._format.startswith("unix"):
            raise InputError(f"The stamps of {self._rows.name} are dates and need no --begin.", "Leave --begin out.")
        clock = LocalClock(require_zone(self._zone, self._rows.name))
        return int(clock.to_utc(np.array([as_if_utc_ns(self._begin)], dtype=np.int64))[0])

    def _cells(self, places: Places) -> list[_Cell]:
        return [
            _Cell(place, c.column, c.quantity, c.unit, c.quantity in ("power", "energy", INTERVAL_ENERGY), where)
            for c, place, where in zip(self._mapping.columns, places.columns, places.where, strict=True)
        ]

    def _read(
        self, row: Row, time: Sequence[int], columns: list[_Cell], needed: int
    ) -> tuple[Stamp, list[float], int] | None:
        """Read stamp, values and number of the series; None for one that was not asked for. Raises ValueError."""
        cells = row.cells
        if cells is None:
            raise ValueError("a quoted text does not end in this line")
        if len(cells) <= max(time):
            raise ValueError(f"it has {len(cells)} columns, and {needed} are needed")
        chosen = tuple(
            all(len(cells) > place and (text in (_ANY, cells[place])) for place, text in column.where)
            for column in columns
        )
        if not any(chosen):
            return None
        stamp = self._stamp(cells[time[0]] if len(time) == 1 else f"{cells[time[0]]} {cells[time[1]]}")
        if problem := wrong_width(cells, needed, self._width):
            self._unread.add(self._rows.name, row.number, row.text, problem)
            values = [UNUSABLE if there else _NO_READING for there in chosen]
        else:
            values = self._values(row, cells, columns, chosen)
        if stamp.digits > self.form.stamp_digits:
            self.form.stamp_digits = stamp.digits
        return stamp, values, self._series.setdefault(chosen, len(self._series))

    def _stamp(self, text: str) -> Stamp:
        """Read a stamp. Raises ValueError."""
        try:
            stamp = parse_stamp(text, self._format)
        except ValueError:
            raise ValueError(f"{text[:40]!r} is not a stamp of the form {self._format!r}") from None
        if self._origin_ns is not None:
            if stamp.t_ns >= YEAR_2000_NS:
                raise ValueError(f"{text[:40]!r} counts from 1970 and needs no --begin")
            return stamp._replace(t_ns=self._origin_ns + stamp.t_ns)
        if stamp.t_ns < YEAR_2000_NS:
            raise ValueError(f"its stamp {text[:40]!r} lies before the year 2000{early_hint(text, self._format)}")
        if not stamp.aware and self._clock is None:
            self._clock = LocalClock(require_zone(self._zone, self._rows.name))
        return stamp

    def _values(self, row: Row, cells: list[str], columns: list[_Cell], chosen: tuple[bool, ...]) -> list[float]:
        """Read the values of a row: NaN where there is none, and a cell that is no number counts the line as unread.

        Raises ValueError for a line without any reading.
        """
        decimal, work, values, readings, unusable = self._mapping.decimal, self._mapping.work_unit, [], 0, ""
        for number, (column, there) in enumerate(zip(columns, chosen, strict=True)):
            text = cells[column.place]
            if not there:
                values.append(_NO_READING)
                continue
            try:
                cell = parse_cell(text, decimal, column.quantity, column.unit, work)
                if column.quantity == "throughput" and cell is not None and cell.value < 0:
                    raise ValueError(f"{text[:40]!r} is not an amount of work")
            except ValueError as error:
                unusable = unusable or f"{error} (column {column.name!r})"
                values.append(UNUSABLE)
                readings += 1
                continue
            if cell is None:
                values.append(_NO_READING)
                continue
            readings += 1
            values.append(self._stored(cell, column, number, row.number, decimal))
        if not readings:
            raise ValueError("it has no reading")
        if unusable:
            self._unread.add(self._rows.name, row.number, row.text, unusable)
        return values

    def _stored(self, cell: Cell, column: _Cell, number: int, line: int, decimal: Decimal) -> float:
        """Convert a number to what is stored, and note how it was written."""
        factor, offset = unit_of(cell, column.quantity, column.unit)
        if cell.ambiguous:
            self._ambiguous = self._ambiguous or (f"{self._rows.name}, line {line}", cell.number)
        elif decimal in cell.number or cell.number.count("," if decimal == "." else ".") > 1:
            self._clear = True
        if self._groups is not None and not self._groups.add(f"{self._rows.name}, line {line}", cell.number):
            self._groups = None
        if column.counts_decimals:
            digits = decimals(cell.number, decimal)
            if cell.unit is not None:
                self.form.coarsest[number] = max(self.form.coarsest[number], 10.0**-digits * factor)
            elif digits > self.form.decimals[number]:
                self.form.decimals[number] = digits
        return cell.value * factor + offset

    def _converted(self, block: _Block, names: Sequence[str], places: Places, *, looked: bool) -> LogBlock:
        """Convert stamps to UTC, and count lines whose stamp is not later than that of an earlier line."""
        t_ns = np.array([stamp.t_ns for stamp in block.stamps], dtype=np.int64)
        local = ~np.array([stamp.aware for stamp in block.stamps])
        if self._clock is not None and local.any():
            t_ns[local] = self._clock.to_utc(t_ns[local])
        values = np.array(block.values, dtype=np.float64).reshape(len(t_ns), len(self._mapping.columns))
        if not looked:
            first = slice(0, _LOOKED_AT)
            cells = [row.cells or [] for row in block.rows[first]]
            require_one_series(self._rows.name, names, places, cells, t_ns[first], values[first])
        if len(self._series) == 1:
            self._cut.add(t_ns)
        series_of, numbers = np.array(block.series), np.array([row.number for row in block.rows])
        for series in np.unique(series_of).tolist():
            index = np.flatnonzero(series_of == series)
            texts = [block.rows[place].text for place in index.tolist()]
            t_ns[index], _ = self.order.place(series, t_ns[index], numbers[index], texts.__getitem__)
        return LogBlock(t_ns, values)
