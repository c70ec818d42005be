"""A log as columns, block by block: stamps in UTC and the values of each column in its stored unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wattmark.exchange.importers.csv_mapping.csv_rows import CsvRows, Row
from wattmark.exchange.importers.csv_mapping.header import Places, find_places
from wattmark.exchange.importers.csv_mapping.mapping import CsvMapping
from wattmark.exchange.importers.csv_mapping.numbers import decimals, parse_number
from wattmark.exchange.importers.csv_mapping.stamp_format import Stamp, parse_stamp
from wattmark.exchange.importers.csv_mapping.units import UNITS
from wattmark.exchange.importers.local_time import LocalClock
from wattmark.exchange.importers.unread import Unread
from wattmark.exchange.importers.zones import require_zone

_BLOCK = 20_000
"""Lines that are converted at once."""
_NEVER_NS = -1
_NO_READING = float("nan")


@dataclass(frozen=True, slots=True)
class LogBlock:
    """Readings in time order. ``value`` has a column per column of the mapping; NaN where there is no reading."""

    t_ns: NDArray[np.int64]
    value: NDArray[np.float64]


@dataclass(slots=True)
class LogForm:
    """How the readings were written, known after the last."""

    decimals: list[int]
    """Most decimals of each column."""
    stamp_digits: int = -1
    """Most decimals of the seconds of a stamp; -1: minutes only."""
    lines: int = 0
    """Lines below the header that are not empty."""
    notes: tuple[str, ...] = ()
    """How the stamps were read."""


class _Cell(NamedTuple):
    """Where a column is, and how its cells become values."""

    place: int
    name: str | int
    unit: str
    factor: float
    offset: float
    counts_decimals: bool


@dataclass(slots=True)
class _Block:
    rows: list[Row] = field(default_factory=list)
    stamps: list[Stamp] = field(default_factory=list)
    values: list[list[float]] = field(default_factory=list)


class LogRows:
    """The readings of a log; ``form`` is complete after the last."""

    def __init__(self, rows: CsvRows, mapping: CsvMapping, zone: tzinfo | None, unread: Unread) -> None:
        self._rows = rows
        self._mapping = mapping
        self._zone = zone
        self._unread = unread
        self._clock: LocalClock | None = None
        self._latest_ns = _NEVER_NS
        self._format = mapping.time.format if mapping.time else ""
        self.form = LogForm([0] * len(mapping.columns))

    def __iter__(self) -> Iterator[LogBlock]:
        """Read block by block; lines that are not understood are counted. Raises `InputError`."""
        mapping, block = self._mapping, _Block()
        names: list[str] = []
        cells: list[_Cell] = []
        places: Places | None = None
        needed = 0
        for row in self._rows:
            if row.number <= mapping.header_rows:
                names = row.cells or [] if row.number == mapping.names_row else names
                continue
            if not row.text.strip():
                continue
            if places is None:
                places = find_places(mapping, names, self._rows.name)
                cells, needed = self._cells(places), places.cells
            self.form.lines += 1
            try:
                stamp, values = self._read(row, places.time, cells, needed)
            except ValueError as error:
                self._unread.add(self._rows.name, row.number, row.text, str(error))
                continue
            block.rows.append(row)
            block.stamps.append(stamp)
            block.values.append(values)
            if len(block.rows) >= _BLOCK:
                yield self._converted(block)
                block = _Block()
        if block.rows:
            yield self._converted(block)
        self.form.notes = (
            self._clock.notes if self._clock else ("Stamps name their time zone, or count from 1970 UTC.",)
        )

    def _cells(self, places: Places) -> list[_Cell]:
        return [
            _Cell(place, c.column, c.unit, *UNITS[c.quantity][c.unit], c.quantity in ("power", "energy"))
            for c, place in zip(self._mapping.columns, places.columns, strict=True)
        ]

    def _read(self, row: Row, time: Sequence[int], columns: list[_Cell], needed: int) -> tuple[Stamp, list[float]]:
        cells = row.cells
        if cells is None:
            raise ValueError("a quoted text does not end in this line")
        if len(cells) < needed:
            raise ValueError(f"it has {len(cells)} columns, and {needed} are needed")
        text = cells[time[0]] if len(time) == 1 else f"{cells[time[0]]} {cells[time[1]]}"
        try:
            stamp = parse_stamp(text, self._format)
        except ValueError:
            raise ValueError(f"{text[:40]!r} is no stamp of the form {self._format!r}") from None
        if not stamp.aware and self._clock is None:
            self._clock = LocalClock(require_zone(self._zone, self._rows.name))
        values = self._values(cells, columns)
        if stamp.digits > self.form.stamp_digits:
            self.form.stamp_digits = stamp.digits
        return stamp, values

    def _values(self, cells: list[str], columns: list[_Cell]) -> list[float]:
        """Read the values of a row; NaN where there is none. Raises ValueError."""
        decimal, written, values, readings = self._mapping.decimal, self.form.decimals, [], 0
        for number, (place, name, unit, factor, offset, counts_decimals) in enumerate(columns):
            text = cells[place]
            try:
                value = parse_number(text, decimal, unit)
            except ValueError as error:
                raise ValueError(f"{error} (column {name!r})") from None
            if value is None:
                values.append(_NO_READING)
                continue
            readings += 1
            if counts_decimals and (digits := decimals(text, decimal)) > written[number]:
                written[number] = digits
            values.append(value * factor + offset)
        if not readings:
            raise ValueError("it has no reading")
        return values

    def _converted(self, block: _Block) -> LogBlock:
        """Convert stamps to UTC, and count lines whose stamp is not later than that of the line before."""
        t_ns = np.array([stamp.t_ns for stamp in block.stamps], dtype=np.int64)
        local = ~np.array([stamp.aware for stamp in block.stamps])
        if self._clock is not None and local.any():
            t_ns[local] = self._clock.to_utc(t_ns[local])
        later = np.ones(len(t_ns), dtype=np.bool_)
        for place, instant in enumerate(t_ns.tolist()):
            if instant > self._latest_ns:
                self._latest_ns = instant
                continue
            later[place] = False
            row = block.rows[place]
            why = "its stamp is " + ("that" if instant == self._latest_ns else "before that") + " of an earlier line"
            self._unread.add(self._rows.name, row.number, row.text, why)
        values = np.array(block.values, dtype=np.float64).reshape(len(t_ns), len(self._mapping.columns))
        return LogBlock(t_ns[later], values[later])
