"""Columns together with how each takes its cell; the columns of a quantity and of an interval by one rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Generic, Protocol, TypeVar

from wattmark.core.interval import Interval
from wattmark.core.quantity import Quantity
from wattmark.tables.table import Cell, Column

Source = TypeVar("Source")
Part = TypeVar("Part")
Field = tuple[Column, Callable[[Source], Cell]]
Fields = Sequence[tuple[Column, Callable[[Source], Cell]]]
"""Columns, each with the function that takes its cell from a row's source."""


class _PlusMinus(Protocol):
    """A `PlusMinus`, an `Interval` or a `Quantity`."""

    @property
    def value(self) -> float: ...

    @property
    def U95(self) -> float | None: ...  # noqa: N802 - the metrologist's symbol


def columns_of(fields: Fields[Source]) -> tuple[Column, ...]:
    """Return the columns of fields."""
    return tuple(column for column, _ in fields)


def rows_of(fields: Fields[Source], sources: Iterable[Source]) -> tuple[tuple[Cell, ...], ...]:
    """Take the cells of each source, a row each."""
    return tuple(tuple(take(source) for _, take in fields) for source in sources)


def with_ends(interval: Interval | None) -> tuple[Cell, ...]:
    """Return value, ends and half width of a 95 % interval; no ends where it holds scatter only."""
    return (None,) * 4 if interval is None else (interval.value, *interval.ends, interval.U95)


class QuantityFields(Generic[Source]):
    """The fields of a quantity, which a table places where it wants them: `value`, `u`, `U95` and `k95`.

    Their keys are ``key`` with the part before its unit: power_w, power_u_w, power_U95_w, power_k95. People see value
    and ± in one cell, under ``value``; the others are for machines, titled "u(power)" by ``symbol``.
    """

    def __init__(self, value: Column, of: Callable[[Source], Quantity | None], symbol: str = "") -> None:
        name, suffix = _split(value)
        part = Column("", kind="number", title="", unit=value.unit, unit_from=value.unit_from, for_people=False)
        parts = {
            each: replace(part, key=f"{name}_{each}{suffix}", title=f"{each}({symbol})" if symbol else "")
            for each in ("u", "U95")
        }
        parts["k95"] = replace(
            part, key=f"{name}_k95", title=f"k95({symbol})" if symbol else "", unit="", unit_from=None
        )
        self.value: Field[Source] = (
            replace(value, kind="number", expanded_u=parts["U95"].key, standard_u=parts["u"].key),
            _each(of, lambda figure: figure.value),
        )
        self.u: Field[Source] = parts["u"], _each(of, lambda figure: figure.u)
        self.U95: Field[Source] = parts["U95"], _each(of, lambda figure: figure.U95)
        self.k95: Field[Source] = parts["k95"], _each(of, lambda figure: figure.k95)


class HalfFields(Generic[Source]):
    """The fields of a value and of its U95, which people see as one cell: `both`, in this order."""

    def __init__(self, value: Column, of: Callable[[Source], _PlusMinus | None], symbol: str = "") -> None:
        name, suffix = _split(value)
        u95 = replace(
            value,
            key=f"{name}_U95{suffix}",
            title=f"U95({symbol})" if symbol else "",
            kind="number",
            for_people=False,
            partial=False,
            prefixed=False,
        )
        self.both: tuple[Field[Source], Field[Source]] = (
            (replace(value, kind="number", expanded_u=u95.key), _each(of, lambda figure: figure.value)),
            (u95, _each(of, lambda figure: figure.U95)),
        )


class IntervalFields(Generic[Source]):
    """The fields of a value with a 95 % interval: `value`, `low`, `high`, and `U95`, half its width.

    Their keys are ``key`` with the part before its unit: ratio, ratio_low, ratio_high, ratio_U95. With ``rounded``
    people see value and ends, to two digits of the half width; else value and ± in one cell.
    """

    def __init__(
        self,
        value: Column,
        of: Callable[[Source], Interval | None],
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
            _each(of, lambda figure: figure.value),
        )
        self.low: Field[Source] = (
            replace(end, key=f"{name}_low{suffix}", title=titles[0]),
            _each(of, lambda figure: figure.ends[0]),
        )
        self.high: Field[Source] = (
            replace(end, key=f"{name}_high{suffix}", title=titles[1]),
            _each(of, lambda figure: figure.ends[1]),
        )
        self.U95: Field[Source] = replace(part, key=key), _each(of, lambda figure: figure.U95)

    @property
    def all(self) -> tuple[Field[Source], Field[Source], Field[Source], Field[Source]]:
        """Return all four, in this order."""
        return self.value, self.low, self.high, self.U95


def _split(column: Column) -> tuple[str, str]:
    """Split a key into its name and the unit that it ends with."""
    name, _, last = column.key.rpartition("_")
    unit = {"%": "pct", "J s": "js", "J s2": "js2"}.get(column.unit, column.unit).lower()
    return (name, f"_{last}") if name and unit and last == unit else (column.key, "")


def _each(of: Callable[[Source], Part | None], take: Callable[[Part], Cell]) -> Callable[[Source], Cell]:
    """Take a cell from a part of a row's source; empty where it has none."""
    return lambda source: None if (part := of(source)) is None else take(part)
