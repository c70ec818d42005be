"""Columns together with how each takes its cell, and the half width that people see as ±."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from wattmark.reports.table import Cell, Column
from wattmark.results.plus_minus import half_width
from wattmark.results.views import Interval95

Source = TypeVar("Source")
Fields = Sequence[tuple[Column, Callable[[Source], Cell]]]
"""Columns with how each takes its cell from what a row is made of."""


def with_ends(of: Interval95 | None) -> tuple[Cell, ...]:
    """Give value, ends and half width; no ends where they hold the scatter only."""
    ends = (of.low, of.high) if of is not None and of.complete else (None, None)
    return (None if of is None else of.value, *ends, half_width(*ends))
