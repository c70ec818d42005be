"""Columns together with how each takes its cell, and the half width that people see as ±."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from wattmark.reports.table import Cell, Column

Source = TypeVar("Source")
Fields = Sequence[tuple[Column, Callable[[Source], Cell]]]
"""Columns with how each takes its cell from what a row is made of."""


def half_width(low: float | None, high: float | None) -> float | None:
    """Compute half the width of a 95 % interval [its unit]; None where an end is not known."""
    return None if low is None or high is None else (high - low) / 2
