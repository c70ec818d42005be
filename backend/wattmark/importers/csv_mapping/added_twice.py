"""Columns that would be added up although one of them holds the others: the total beside its phases or outlets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.importers.csv_mapping.columns_in_time import ColumnsInTime
from wattmark.importers.csv_mapping.mapping import CsvColumn, CsvMapping
from wattmark.importers.csv_mapping.named_quantity import words_of
from wattmark.importers.csv_mapping.units import INTERVAL_ENERGY
from wattmark.importers.logs.log_blocks import ChannelPart, Stamps, Values

_MOST_IN_RUNS = 48
"""Columns among which totals of some of the others are looked for, and not of all others alone."""
_FEWEST = 20
"""Readings that prove a total of some columns, or a column that stands twice."""
_FEWEST_OF_ALL = 8
"""Readings that prove a total of all other columns."""
_KEPT = 0.95
_APART = 0.002
"""By how much a total may differ from its parts, beside their digits [1]."""
_LEAST_SHARE = 0.02
"""A part below this share of the total proves nothing."""
_FEWEST_VALUES = 5
"""Different readings that make equal columns, or the sum of some, more than a coincidence."""
_MOST_OPEN, _MOST_OPEN_OF_ALL = 0.02, 0.1
"""Shares of a total that the digits of all may leave open, of some columns and of all others."""
_LOOKED_AT = 60
"""Rows in which candidates are looked for."""
_DIGITS = 2.5 / 3**0.5
"""Times the root of the squares of half digits: what rounding leaves open of a sum, but for one in a hundred."""
_SAME = 1e-9
_FEWEST_MEANS = 100
_SCATTER = 0.1
_NAMES_TOTAL = frozenset({"total", "tot", "sum", "all", "overall", "gesamt", "summe"})
_JOULES_PER_WH = 3600.0


class _Sum(NamedTuple):
    total: int
    parts: tuple[int, ...]


class AddedTwice:
    """Finds a column of power that is the sum of others which are added to it, or that occurs twice."""

    def __init__(self, mapping: CsvMapping) -> None:
        names = Counter(str(column.column) for column in mapping.columns)
        self._names = [
            f"{'meter' if names[str(c.column)] > 1 else 'column'} {c.meter if names[str(c.column)] > 1 else c.column!r}"
            for c in mapping.columns
        ]
        with_power = {c.meter for c in mapping.columns if c.quantity in ("power", INTERVAL_ENERGY)}
        wall = [(number, column) for number, column in enumerate(mapping.columns) if column.role == "wall"]
        self._power = _Group([(n, c) for n, c in wall if c.quantity in ("power", INTERVAL_ENERGY)])
        self._energy = _Group([(n, c) for n, c in wall if c.quantity == "energy" and c.meter not in with_power])
        self._means: dict[int, _Mean] = {}

    def add(self, parts: Sequence[ChannelPart], last_digits: Sequence[float]) -> None:
        """Take note of a block of readings as they are written, and of the last digit of each column."""
        for group in (self._power, self._energy):
            if len(group.columns) > 1:
                group.add(parts, last_digits)
        if self._power.columns and self._energy.columns:
            for part in parts:
                if part.channel in self._power.columns or part.channel in self._energy.columns:
                    self._means.setdefault(part.channel, _Mean()).add(*_usable(part))

    def require_none(self, file: str) -> None:
        """Refuse a mapping that counts watts twice. Raises `InputError`."""
        for group in (self._power, self._energy):
            sums = group.sums() if len(group.columns) > 1 else iter(())
            for total, parts in sums:
                whole, *others = (self._names[group.columns[column]] for column in (total, *parts))
                names = ", ".join(name.partition(" ")[2] for name in others)
                said = f"is the sum of {names}" if len(parts) > 1 else f"holds the same readings as {names}"
                raise InputError(
                    f"{file}: {whole} {said}, so its watts would be counted twice.",
                    "Leave one of them out of the mapping, or give it the role secondary: shown, and not added.",
                )

    @property
    def notes(self) -> tuple[str, ...]:
        """Return which counters count the energy of a power that is added to them, one sentence each."""
        notes = []
        for counter in self._energy.columns:
            for power in self._power.columns:
                counted, mean = self._means.get(counter), self._means.get(power)
                if counted is None or mean is None or not (counted_w := counted.rise * _JOULES_PER_WH):
                    continue
                if abs(counted_w - mean.mean) <= _APART * mean.mean:
                    notes.append(
                        f"The energy of {self._names[counter]} is that of {self._names[power]} "
                        f"({format_number(mean.mean, 4)} W on average), and both are added as the mapping says: give "
                        "one the role secondary if they are of one load."
                    )
        return tuple(notes)


class _Mean:
    """The mean of a column's readings, and its mean rise per second, block by block."""

    def __init__(self) -> None:
        self._first: tuple[int, float] | None = None
        self._last = (0, 0.0)
        self._sum, self._count = 0.0, 0

    def add(self, t_ns: Stamps, value: Values) -> None:
        if not len(t_ns):
            return
        self._first = self._first or (int(t_ns[0]), float(value[0]))
        self._last = int(t_ns[-1]), float(value[-1])
        self._sum += float(value.sum())
        self._count += len(value)

    @property
    def mean(self) -> float:
        return self._sum / max(self._count, 1)

    @property
    def rise(self) -> float:
        (begin_ns, begin), (end_ns, end) = self._first or (0, 0.0), self._last
        return (end - begin) / ((end_ns - begin_ns) / 1e9) if end_ns > begin_ns else 0.0


class _Group:
    """Columns of one quantity that are added up."""

    def __init__(self, columns: Sequence[tuple[int, CsvColumn]]) -> None:
        self.columns = [number for number, _ in columns]
        self._intervals = [column.quantity == INTERVAL_ENERGY for _, column in columns]
        self._is_named_total = [_is_named_total(column) for _, column in columns]
        self._in_time = ColumnsInTime(len(columns))
        self._half = np.zeros(len(columns))

    def add(self, parts: Sequence[ChannelPart], last_digits: Sequence[float]) -> None:
        """Keep pieces of a block of readings; energy of intervals as the power that it means."""
        readings = {}
        for part in parts:
            if part.channel not in self.columns:
                continue
            place = self.columns.index(part.channel)
            t_ns, value = _usable(part)
            half = 0.5 * last_digits[part.channel]
            if self._intervals[place] and len(t_ns) > 1:
                span_s = np.diff(t_ns) / 1e9
                t_ns, value, half = t_ns[1:], value[1:] / span_s, half / float(np.median(span_s))
            readings[place] = t_ns, value
            self._half[place] = max(self._half[place], half) if self._intervals[place] else half
        self._in_time.add(readings)

    def sums(self) -> Iterator[_Sum]:
        """Iterate over columns that are the sum of others, or equal to one before."""
        together = all(piece.together for piece in self._in_time.pieces)
        for total in range(len(self.columns)):
            views = self._views(total)
            others = tuple(place for place in range(len(self.columns)) if place != total)
            yield from (_Sum(total, run) for run in self._candidates(total, views) if self._holds(total, run, views))
            if not together and self._is_named_total[total] and views and _is_mean_of(*views[0], others):
                yield _Sum(total, others)
            yield from (_Sum(total, (first,)) for first in _equal_before(total, views))

    def _views(self, total: int) -> list[tuple[Values, NDArray[np.float64]]]:
        """Return the readings of a column beside those of all, over all pieces, for each way to place them."""
        return [
            (np.concatenate([whole for whole, _ in view]), np.concatenate([rows for _, rows in view]))
            for view in zip(*(piece.beside(total) for piece in self._in_time.pieces), strict=True)
        ]

    def _candidates(self, total: int, views: Sequence[tuple[Values, NDArray[np.float64]]]) -> Iterator[tuple[int, ...]]:
        """Iterate over what may be the parts of a total: all other columns, then those that stand together."""
        count = len(self.columns)
        if count > 2:
            yield tuple(place for place in range(count) if place != total)
        if count > _MOST_IN_RUNS:
            return
        for whole, rows in views:
            there = np.flatnonzero(np.isfinite(rows).all(axis=1))
            if len(there) < _FEWEST:
                continue
            looked = there[:: max(len(there) // _LOOKED_AT, 1)]
            runs = np.cumsum(np.insert(rows[looked], 0, 0.0, axis=1), axis=1)
            for begin in range(count - 1):
                ends = np.arange(begin + 2, count + 1)
                if begin <= total:
                    ends = ends[ends <= total]
                near = _near(whole[looked, None], runs[:, ends] - runs[:, [begin]], float(self._half.sum()))
                kept = near.mean(axis=0) > _KEPT
                yield from (tuple(range(begin, end)) for end in ends[kept] if end - begin < count - 1)

    def _holds(self, total: int, parts: tuple[int, ...], views: Sequence[tuple[Values, NDArray[np.float64]]]) -> bool:
        """Return whether a column is the sum of others in nearly all of its readings."""
        is_of_all = len(parts) == len(self.columns) - 1
        halves = self._half[[total, *parts]]
        open_w = min(float(halves.sum()), _DIGITS * float(np.sqrt((halves**2).sum())))
        for whole, rows in views:
            of_parts = rows[:, parts]
            there = np.isfinite(of_parts).all(axis=1)
            whole, of_parts = whole[there], of_parts[there]
            if len(whole) < (_FEWEST_OF_ALL if is_of_all else _FEWEST):
                continue
            mean = max(float(whole.mean()), 1e-9)
            if open_w > (_MOST_OPEN_OF_ALL if is_of_all else _MOST_OPEN) * mean:
                continue
            if np.count_nonzero(of_parts.mean(axis=0) > _LEAST_SHARE * mean) < 2:
                continue
            if not is_of_all and len(np.unique(whole[:1000])) < _FEWEST_VALUES:
                continue
            if _near(whole, of_parts.sum(axis=1), open_w).mean() > _KEPT:
                return True
        return False


def _is_mean_of(whole: Values, rows: NDArray[np.float64], parts: tuple[int, ...]) -> bool:
    """Return whether a column is the sum of others on average, where they are read by turns."""
    differences = whole - rows[:, parts].sum(axis=1)
    differences = differences[np.isfinite(differences)]
    if len(parts) < 2 or len(differences) < _FEWEST_MEANS:
        return False
    mean, scatter = float(whole.mean()), float(differences.std())
    error = 2 * scatter / len(differences) ** 0.5
    return scatter <= _SCATTER * mean and abs(float(differences.mean())) <= _APART * mean + error


def _equal_before(later: int, views: Sequence[tuple[Values, NDArray[np.float64]]]) -> Iterator[int]:
    """Iterate over columns before one that hold the same readings, which vary."""
    whole, rows = views[0] if views else (np.zeros(0), np.zeros((0, later)))
    if len(np.unique(whole[:1000])) < _FEWEST_VALUES:
        return
    for first in range(later):
        there = np.isfinite(rows[:, first])
        near = np.abs(whole[there] - rows[there, first]) <= _SAME * np.abs(whole[there])
        if len(near) >= _FEWEST and near.mean() > _KEPT:
            yield first


def _usable(part: ChannelPart) -> tuple[Stamps, Values]:
    t_ns, value = part.in_time
    there = np.isfinite(value)
    return t_ns[there], value[there]


def _near(whole: Values, of_parts: NDArray[np.float64], open_w: float) -> NDArray[np.bool_]:
    return np.asarray(np.abs(whole - of_parts) <= _APART * np.abs(whole) + open_w + 1e-9)


def _is_named_total(column: CsvColumn) -> bool:
    names = " ".join((str(column.column), column.meter, *map(str, column.where.values())))
    return bool(_NAMES_TOTAL.intersection(words_of(names)))
