"""Columns together with how each takes its cell; the columns of a quantity and of an interval by one rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from wattmark.core.interval import Interval95, half_width
from wattmark.core.quantity import Quantity
from wattmark.tables.table import Cell, Column

Source = TypeVar("Source")
Part = TypeVar("Part")
Field = tuple[Column, Callable[[Source], Cell]]
Fields = Sequence[tuple[Column, Callable[[Source], Cell]]]
"""Columns, each with the function that takes its cell from a row's source."""
Ends = tuple[float | None, float | None]


def columns_of(fields: Fields[Source]) -> tuple[Column, ...]:
    """Return the columns of fields."""
    return tuple(column for column, _ in fields)


def rows_of(fields: Fields[Source], sources: Iterable[Source]) -> tuple[tuple[Cell, ...], ...]:
    """Take the cells of each source, a row each."""
    return tuple(tuple(take(source) for _, take in fields) for source in sources)


def with_ends(interval: Interval95 | None) -> tuple[Cell, ...]:
    """Return value, ends and half width of a 95 % interval; no ends where it holds scatter only."""
    ends = ends_of(interval)
    return (None if interval is None else interval.value, *ends, half_width(*ends))


def ends_of(interval: Interval95 | None) -> Ends:
    """Return the ends of a 95 % interval; None where it holds scatter only."""
    return (interval.low, interval.high) if interval is not None and interval.complete else (None, None)


class QuantityFields(Generic[Source]):
    """The fields of a quantity, which a table places where it wants them: `value`, `u`, `U95` and `k95`.

    Their keys are ``key`` with the part before its unit: power_w, power_u_w, power_U95_w, power_k95. People see value
    and ± in one cell, under ``value``; the others are for machines, titled "u(power)" by ``symbol``.
    """

    def __init__(self, value: Column, of: Callable[[Source], Quantity | None], symbol: str = "") -> None:
        name, suffix = _split(value)
        self._of = of
        part = Column("", kind="number", title="", unit=value.unit, unit_from=value.unit_from, for_people=False)
        self._part = {
            each: replace(part, key=f"{name}_{each}{suffix}", title=f"{each}({symbol})" if symbol else "")
            for each in ("u", "U95")
        }
        self._part["k95"] = replace(
            part, key=f"{name}_k95", title=f"k95({symbol})" if symbol else "", unit="", unit_from=None
        )
        self.value: Field[Source] = (
            replace(value, kind="number", expanded_u=self._part["U95"].key),
            lambda source: self._take(source, "value"),
        )
        self.u: Field[Source] = self._part["u"], lambda source: self._take(source, "u")
        self.U95: Field[Source] = self._part["U95"], lambda source: self._take(source, "U95")
        self.k95: Field[Source] = self._part["k95"], lambda source: self._take(source, "k95")

    def _take(self, source: Source, part: str) -> float | None:
        quantity = self._of(source)
        return None if quantity is None else getattr(quantity, part)


class HalfFields(Generic[Source]):
    """The fields of a value and of its U95, which people see as one cell: `both`, in this order."""

    def __init__(
        self,
        value: Column,
        of: Callable[[Source], float | None],
        half: Callable[[Source], float | None],
        symbol: str = "",
    ) -> None:
        name, suffix = _split(value)
        title = f"U95({symbol})" if symbol else ""
        u95 = replace(
            value,
            key=f"{name}_U95{suffix}",
            title=title,
            kind="number",
            for_people=False,
            partial=False,
            prefixed=False,
        )
        self.both: tuple[Field[Source], Field[Source]] = (
            (replace(value, kind="number", expanded_u=u95.key), of),
            (u95, half),
        )


class IntervalFields(Generic[Source]):
    """The fields of a value with a 95 % interval: `value`, `low`, `high`, and `U95`, half its width.

    Their keys are ``key`` with the part before its unit: ratio, ratio_low, ratio_high, ratio_U95. With ``rounded``
    people see value and ends, to two digits of the half width; else value and ± in one cell.
    """

    def __init__(
        self,
        value: Column,
        of: Callable[[Source], float | None],
        ends: Callable[[Source], Ends],
        *,
        rounded: bool = False,
        titles: tuple[str, str] = ("95 % from", "to"),
    ) -> None:
        name, suffix = _split(value)
        key = f"{name}_U95{suffix}"
        part = replace(value, kind="number", title="", for_people=False, rounding=None, partial=False, prefixed=False)
        end = replace(part, for_people=rounded, rounded_by=key if rounded else None)
        self.value: Field[Source] = (
            replace(value, kind="number", rounded_by=key if rounded else None, expanded_u=None if rounded else key),
            of,
        )
        self.low: Field[Source] = (
            replace(end, key=f"{name}_low{suffix}", title=titles[0]),
            lambda source: ends(source)[0],
        )
        self.high: Field[Source] = (
            replace(end, key=f"{name}_high{suffix}", title=titles[1]),
            lambda source: ends(source)[1],
        )
        self.U95: Field[Source] = replace(part, key=key), lambda source: half_width(*ends(source))

    @property
    def all(self) -> tuple[Field[Source], Field[Source], Field[Source], Field[Source]]:
        """Return all four, in this order."""
        return self.value, self.low, self.high, self.U95


def _split(column: Column) -> tuple[str, str]:
    """Split a key into its name and the unit that it ends with."""
    name, _, last = column.key.rpartition("_")
    unit = {"%": "pct", "J s": "js", "J s2": "js2"}.get(column.unit, column.unit).lower()
    return (name, f"_{last}") if name and unit and last == unit else (column.key, "")
