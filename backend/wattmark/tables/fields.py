"""Columns together with how each takes its cell, and the half width that people see as ±."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from wattmark.core.interval import Interval95, half_width
from wattmark.tables.table import Cell, Column

Source = TypeVar("Source")
Fields = Sequence[tuple[Column, Callable[[Source], Cell]]]
"""Columns, each with the function that takes its cell from a row's source."""


def with_ends(interval: Interval95 | None) -> tuple[Cell, ...]:
    """Return value, ends and half width of a 95 % interval; no ends where it holds scatter only."""
    ends = (interval.low, interval.high) if interval is not None and interval.complete else (None, None)
    return (None if interval is None else interval.value, *ends, half_width(*ends))
