"""Lines of a CSV file as rows of readings, as its mapping declares them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from wattmark_drivers.reading import Kind

from wattmark.core.amounts import Decimal
from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.csv_rows import CsvLines, split, wrong_width
from wattmark.importers.csv_mapping.header import Places, find_places, is_heading, require_units_row
from wattmark.importers.csv_mapping.interval_energy import IntervalEnergy
from wattmark.importers.csv_mapping.line_quantity import LineQuantities
from wattmark.importers.csv_mapping.mapped_columns import MappedColumns
from wattmark.importers.csv_mapping.mapping import CsvColumn, CsvMapping
from wattmark.importers.csv_mapping.numbers import Cell, decimals, parse_cell, require_clear, unit_of
from wattmark.importers.csv_mapping.stacked import require_one_series
from wattmark.importers.csv_mapping.stamp_format import Stamp, early_hint, parse_stamp
from wattmark.importers.csv_mapping.units import COUNT, INTERVAL_ENERGY, UNITS
from wattmark.importers.importer import Choices
from wattmark.importers.local_time import LocalClock
from wattmark.importers.log_stamps import YEAR_2000_NS, Stamps
from wattmark.importers.logs.log_blocks import ChannelPart
from wattmark.importers.logs.log_channel import POWER, LogChannel
from wattmark.importers.logs.log_meters import ChannelCount, LogMeters
from wattmark.importers.logs.log_reader import UNUSABLE, Line, LogReader, LogRow
from wattmark.importers.logs.wall_clock import as_if_utc_ns
from wattmark.importers.zones import require_zone
from wattmark.runs.record import ThroughputInterval

_LOOKED_AT = 4000
"""Lines of a series in which stacked ones are looked for."""
_MOST_OTHERS = 8
"""Series that are named of those that were not asked for."""
_MORE = "..."
_NO_READING = float("nan")
_ANY = "*"
_THREE_DIGITS = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")
"""A number that is grouped in thousands, or has three decimals."""
_GROUP = 3
"""Digits of a number that needs no groups."""
_OUT_OF_ORDER = (
    "Sort the lines by time if they are not; if several series stand in one column, export one a column or choose "
    "one (where: in the mapping); if stamps were cut, export them with all of their decimals; if a clock was set while "
    "it recorded, import what lies before or after."
)


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


class CsvReader(LogReader):
    """Reads the lines of one file.

    A line of all columns whose stamp cannot be read was a reading; any other line without one may be a remark.
    """

    padding = "\ufeff"
    out_of_order = _OUT_OF_ORDER
    stamp_s = 30.0

    def __init__(self, mapping: CsvMapping, choices: Choices) -> None:
        super().__init__(choices)
        self._mapping = mapping
        self.server = mapping.server.strip() or None
        self.configuration = mapping.configuration.strip() or None
        self.workload = mapping.workload.strip() or self.workload
        self.work_unit = mapping.work_unit
        self._is_stacked = bool(mapping.where) or any(column.where for column in mapping.columns)
        chosen = " and the lines that where: chooses" if self._is_stacked else ""
        self.remedy = f"Check delimiter, decimal sign, header rows, stamps{chosen} in the mapping {mapping.name!r}."
        self._all = tuple(self.channels.number(_channel(column, mapping)) for column in mapping.columns)
        self.between_stamps = next((str(c.column) for c in mapping.columns if c.unit == COUNT), "")
        self._format = mapping.time.format if mapping.time else ""
        self._names: list[str] = []
        self._heads: dict[int, list[str]] = {}
        self._places: Places | None = None
        self._cells: list[_Cell] = []
        self._width = 0
        """Columns that a row may fill: those of the heading, or of the first row where there is none."""
        self._surplus = 0
        """Empty cells behind them in the first row, as a comma at the end of each row makes them."""
        self._aware: bool | None = None
        """Whether stamps name their offset from UTC."""
        self._after_heading = False
        self._without = 0
        """Lines whose mapped cells are all empty."""
        self._where: list[int] = []
        """Places of the cells that say which series a line is of."""
        self._quantities: LineQuantities | None = None
        self._origin_ns: int | None = None
        self._stamp_digits = -1
        """Most decimals of the seconds of a stamp; -1: minutes only."""
        self._others: Counter[str] = Counter()
        """Lines of series that the mapping does not choose, by the cells that distinguish them."""
        self._ambiguous: tuple[str, str] | None = None
        self._clear = False
        self._groups: _PointGroups | None = None
        if mapping.delimiter == ";" and "decimal" not in mapping.model_fields_set:
            self._groups = _PointGroups()
        self._columns = MappedColumns(mapping)
        self._intervals = IntervalEnergy(mapping)

    def lines(self, path: Path, name: str) -> CsvLines:
        """Return the lines of the file."""
        return CsvLines(path, self._mapping, name)

    def read(self, line: str) -> Sequence[LogRow] | None:
        """Read a line. Raises ValueError for what it does not understand."""
        mapping, cells = self._mapping, split(line, self._mapping.delimiter)
        if self.line <= mapping.header_rows:
            self._names = cells or [] if self.line == mapping.names_row else self._names
            self._heads[self.line] = cells or []
            return None
        after_heading, self._after_heading = self._after_heading, False
        places = self._places or self._begin_table(cells or [])
        if self._names and cells == self._names:
            self._after_heading = True
            return None
        try:
            row = self._row(cells, places)
        except ValueError:
            if after_heading and self._is_row_of_units(cells or []):
                return None
            if is_heading(cells or [], self._names, places, f"{self.file}, line {self.line}"):
                self._after_heading = True
                return None
            require_units_row(self._mapping, places, {self.line: cells or []}, self.file)
            raise
        if row is None:
            self._note_other(cells or [])
            return None
        if self._quantities is not None:
            self._quantities.require_same(self.line, cells or [])
        return (row,)

    def _is_row_of_units(self, cells: list[str]) -> bool:
        """Return whether a line below a repeated heading is the row of units of the first.

        Raises `InputError` where it names others.
        """
        if any(sign.isdigit() for cell in cells for sign in cell):
            return False
        before = self._heads.get((self._mapping.names_row or 0) + 1)
        if before is not None and cells != before:
            raise InputError(
                f"{self.file}, line {self.line}: the columns are named once more, with other units than before.",
                "Split the file before that line, and import each part by a mapping of its own.",
            )
        return before is not None

    def _begin_table(self, first: list[str]) -> Places:
        """Find the columns by the heading and the first line below it. Raises `InputError`."""
        mapping = self._mapping
        places = self._places = find_places(mapping, self._names, self.file)
        require_units_row(mapping, places, self._heads | {self.line: first}, self.file)
        self._cells = [
            _Cell(place, c.column, c.quantity, c.unit, c.quantity in ("power", "energy", INTERVAL_ENERGY), where)
            for c, place, where in zip(mapping.columns, places.columns, places.where, strict=True)
        ]
        self._where = sorted({place for chosen in places.where for place, _ in chosen})
        self._origin_ns = self._read_begin()
        self.begun = self._origin_ns is not None
        self._quantities = LineQuantities(mapping, self._names, places, self.file)
        self._width = len(self._names)
        while self._width and not self._names[self._width - 1]:
            self._width -= 1
        return places

    def _read_begin(self) -> int | None:
        """Return the instant from which stamps count; None: they are dates. Raises `InputError`."""
        if self.choices.begin is None:
            return None
        if not self._format.startswith("unix"):
            raise InputError(f"The stamps of {self.file} are dates and need no --begin.", "Leave --begin out.")
        clock = LocalClock(require_zone(self.choices.zone, self.file))
        return int(clock.to_utc(np.array([as_if_utc_ns(self.choices.begin)], dtype=np.int64))[0])

    def _note_other(self, cells: list[str]) -> None:
        name = repr(", ".join(cells[place][:40] for place in self._where if place < len(cells)))
        self._others[name if name in self._others or len(self._others) < _MOST_OTHERS else _MORE] += 1

    def _row(self, cells: list[str] | None, places: Places) -> LogRow | None:
        """Read a row; None for one of a series that was not asked for. Raises ValueError."""
        time = places.time
        if cells is None:
            raise ValueError("a quoted text does not end in this line")
        if len(cells) <= max(time):
            raise ValueError(f"it has {len(cells)} columns, and {places.cells} are needed")
        chosen = self._chosen(cells)
        if not chosen:
            return None
        if self._width and self._width <= len(cells) <= self._width + self._surplus:
            self.of = chosen
        stamp = self._stamp(cells[time[0]] if len(time) == 1 else f"{cells[time[0]]} {cells[time[1]]}")
        if self._aware is None:
            self._width = self._width or len(cells)
            self._surplus = max(len(cells) - self._width, 0)
        self.of = ()
        self._require_one_clock(stamp)
        if problem := wrong_width(cells, places.cells, self._width, self._surplus):
            self.unusable.append(problem)
            values = [UNUSABLE] * len(chosen)
        else:
            values = self._values(cells, chosen)
            if np.isnan(values).all():
                if any(cells[self._cells[number].place] for number in chosen):
                    raise ValueError("it has no reading")
                self._without += 1
                chosen = ()
        self.local = not stamp.aware
        if stamp.digits > self._stamp_digits:
            self._stamp_digits, self.stamp_s = stamp.digits, 0.5 * 10.0**-stamp.digits
        return LogRow(stamp.t_ns, chosen, values)

    def _require_one_clock(self, stamp: Stamp) -> None:
        """Refuse stamps of which some name their offset from UTC and some do not. Raises `InputError`."""
        if self._aware is None:
            self._aware = stamp.aware
        if stamp.aware is not self._aware:
            how = (
                ("names its offset from UTC", "names none") if stamp.aware else ("names no offset from UTC", "names it")
            )
            raise InputError(
                f"{self.file}, line {self.line}: its stamp {how[0]}, and that of the lines before {how[1]}.",
                "Split the file before that line, and import each part by a mapping of its own.",
            )

    def _chosen(self, cells: list[str]) -> tuple[int, ...]:
        """Return the columns whose readings stand in a line."""
        if not self._is_stacked:
            return self._all
        return tuple(
            number
            for number, column in enumerate(self._cells)
            if all(len(cells) > place and text in (_ANY, cells[place]) for place, text in column.where)
        )

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
        return stamp

    def _values(self, cells: list[str], chosen: tuple[int, ...]) -> list[float]:
        """Read the values of a row: NaN where there is none, and a cell that is no number counts the line as unread."""
        decimal, work, values, unusable = self._mapping.decimal, self._mapping.work_unit, [], ""
        for number in chosen:
            column = self._cells[number]
            text = cells[column.place]
            try:
                cell = parse_cell(text, decimal, column.quantity, column.unit, work)
                if column.quantity == "throughput" and cell is not None and cell.value < 0:
                    raise ValueError(f"{text[:40]!r} is not an amount of work")
            except ValueError as error:
                unusable = unusable or f"{error} (column {column.name!r})"
                values.append(UNUSABLE)
                continue
            if cell is None:
                values.append(_NO_READING)
                continue
            values.append(self._stored(cell, column, number, decimal))
        if unusable:
            self.unusable.append(unusable)
        return values

    def _stored(self, cell: Cell, column: _Cell, number: int, decimal: Decimal) -> float:
        """Convert a number to what is stored, and note how it was written."""
        factor, offset = unit_of(cell, column.quantity, column.unit)
        if cell.ambiguous:
            self._ambiguous = self._ambiguous or (f"{self.file}, line {self.line}", cell.number)
        elif decimal in cell.number or cell.number.count("," if decimal == "." else ".") > 1:
            self._clear = True
        if self._groups is not None and not self._groups.add(f"{self.file}, line {self.line}", cell.number):
            self._groups = None
        if column.counts_decimals:
            digits = decimals(cell.number, decimal)
            if cell.unit is not None:
                self._columns.coarsest[number] = max(self._columns.coarsest[number], 10.0**-digits * factor)
            elif digits > self._columns.decimals[number]:
                self._columns.decimals[number] = digits
        return cell.value * factor + offset

    def require_one_series(self, file: str, t_ns: Stamps, lines: Sequence[Line], /) -> None:
        """Refuse a log whose mapped columns hold several series in turn. Raises `InputError`."""
        if self._places is None:
            return
        first = lines[:_LOOKED_AT]
        cells = [split(line.text, self._mapping.delimiter) or [] for line in first]
        values = np.full((len(first), len(self._all)), _NO_READING)
        for place, line in enumerate(first):
            values[place, line.row.channels] = line.row.values
        require_one_series(file, self._names, self._places, cells, t_ns[:_LOOKED_AT], values)

    def take(self, parts: Sequence[ChannelPart]) -> Sequence[ChannelPart]:
        """Take note of a block of readings as they are written; return it with the power of intervals.

        Raises `InputError` for power that comes in turn from several meters.
        """
        self._columns.note(self.file, parts)
        return self._intervals.as_power(parts, self.stamp_s)

    def require_sound(self, file: str) -> None:
        """Refuse what only the whole log shows. Raises `InputError`."""
        if self._ambiguous is not None and not self._clear:
            require_clear(*self._ambiguous, self._mapping.decimal)
        if self._groups is not None and self._groups.first is not None:
            require_clear(*self._groups.first, ",")
        self._columns.require_sound(file)
        self._intervals.require_uncut(file)

    @property
    def throughput(self) -> tuple[ThroughputInterval, ...]:
        """Return the work that the log counts."""
        return self._columns.throughput

    def meters(self, counts: Mapping[int, ChannelCount]) -> LogMeters:
        """Describe each meter that has power, or energy alone."""
        return self._columns.meters(counts)

    @property
    def about(self) -> str:
        """Return by which mapping the log was read."""
        return self._columns.about

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what was decided while reading."""
        notes = []
        if self.begun:
            notes = [
                f"Stamps count from {self.choices.begin} in {self.choices.zone}, as the person who imported it said."
            ]
        if self._without:
            notes.append(f"Lines without a reading in the columns of the mapping: {self._without}.")
        if self._others:
            named = "; ".join(f"{name}: {count}" for name, count in self._others.items())
            notes.append(f"Lines of other series, which were not asked for: {self._others.total()} ({named}).")
        return (*notes, *self._columns.notes, *self._intervals.notes)


def _channel(column: CsvColumn, mapping: CsvMapping) -> LogChannel:
    if column.quantity == INTERVAL_ENERGY:
        return LogChannel(column.meter, POWER, "power", "W", kind=Kind.AVERAGED)
    quantity = column.quantity.replace(" ", "_")
    kind = Kind.COUNTER if column.quantity == "energy" else Kind(mapping.readings)
    return LogChannel(column.meter, quantity, quantity, next(iter(UNITS[column.quantity])), kind=kind)
