"""Columns that would be added up although one of them holds the others: the total beside its phases or outlets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.csv_mapping.units import INTERVAL_ENERGY
from wattmark.importers.logs.log_blocks import ChannelPart
from wattmark.importers.written_digits import half_digit

_MOST = 16
"""Columns among which totals are looked for."""
_FEWEST = 20
"""Lines that prove it."""
_KEPT = 0.95
_APART = 0.002
"""By how much a total may differ from its parts, beside their digits [1]."""
_LEAST_SHARE = 0.02
"""A part below this share of the total proves nothing."""
_FEWEST_VALUES = 5
"""Different readings that make equal columns more than a coincidence."""


class AddedTwice:
    """Finds a column of power that is the sum of others which are added to it, or that occurs twice."""

    def __init__(self, mapping: CsvMapping) -> None:
        with_power = {c.meter for c in mapping.columns if c.quantity in ("power", INTERVAL_ENERGY)}
        self._columns = [
            number
            for number, column in enumerate(mapping.columns)
            if column.role == "wall"
            and (
                column.quantity in ("power", INTERVAL_ENERGY)
                or (column.quantity == "energy" and column.meter not in with_power)
            )
        ][:_MOST]
        self._names = [str(column.column) for column in mapping.columns]
        self._candidates: list[tuple[int, tuple[int, ...]]] | None = None
        self._lines = 0
        self._kept: list[int] = []

    def add(self, parts: Sequence[ChannelPart]) -> None:
        """Take note of a block of readings as they are written."""
        columns = [part for part in parts if part.channel in self._columns]
        if len(columns) < max(len(self._columns), 2) or any(
            not np.array_equal(part.t_ns, columns[0].t_ns) for part in columns
        ):
            return
        values = np.column_stack([part.value for part in columns])
        values = values[np.isfinite(values).all(axis=1)]
        if len(values) < _FEWEST and self._candidates is None:
            return
        if self._candidates is None:
            self._candidates = [
                candidate for candidate in _candidates(len(self._columns)) if _is_sum(values, *candidate).mean() > _KEPT
            ]
            self._kept = [0] * len(self._candidates)
        self._lines += len(values)
        for place, candidate in enumerate(self._candidates):
            self._kept[place] += int(np.count_nonzero(_is_sum(values, *candidate)))

    def require_none(self, file: str) -> None:
        """Refuse a mapping that counts watts twice. Raises `InputError`."""
        for kept, (total, parts) in zip(self._kept, self._candidates or (), strict=True):
            if kept <= _KEPT * self._lines:
                continue
            names = ", ".join(repr(self._names[self._columns[part]]) for part in parts)
            whole = self._names[self._columns[total]]
            said = f"is the sum of {names}" if len(parts) > 1 else f"holds the same readings as {names}"
            raise InputError(
                f"{file}: column {whole!r} {said}, so its watts would be counted twice.",
                "Leave one of them out of the mapping, or give it the role secondary: shown, and not added.",
            )


def _candidates(count: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Iterate over columns and what may be their parts: all others, those beside them, or one that is equal."""
    for total in range(count):
        others = tuple(number for number in range(count) if number != total)
        runs = {others}
        runs |= {tuple(range(begin, total)) for begin in range(total - 1)}
        runs |= {tuple(range(total + 1, end)) for end in range(total + 3, count + 1)}
        yield from ((total, run) for run in sorted(runs, key=len, reverse=True) if len(run) > 1)
    yield from ((later, (first,)) for first, later in combinations(range(count), 2))


def _is_sum(values: NDArray[np.float64], total: int, parts: tuple[int, ...]) -> NDArray[np.bool_]:
    whole, of_parts = values[:, total], values[:, parts]
    if len(parts) == 1:
        varies = len(np.unique(whole[:1000])) >= min(_FEWEST_VALUES, len(whole))
        return np.asarray((whole == of_parts[:, 0]) & varies)
    shares = np.abs(of_parts).mean(axis=0) / max(float(np.abs(whole).mean()), 1e-9)
    if np.count_nonzero(shares > _LEAST_SHARE) < 2:
        return np.zeros(len(whole), np.bool_)
    open_w = half_digit(whole) + sum(half_digit(of_parts[:, place]) for place in range(len(parts)))
    return np.asarray(np.abs(whole - of_parts.sum(axis=1)) <= _APART * np.abs(whole) + open_w + 1e-9)
