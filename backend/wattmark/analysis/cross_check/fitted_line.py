"""Gain and offset of a source against the reference, apart from their fit: results are read without it."""

from __future__ import annotations

from wattmark.core.quantity import Quantity
from wattmark.core.schema import Record


class FittedLine(Record):
    """reference = offset + gain x source, through the levels of the run."""

    gain: Quantity
    offset: Quantity
    """[W]"""
    levels: int
    low_w: float
    high_w: float
    """From and to which power of the source it was fitted [W]."""
