"""Watts against DIMM count, ready for the API, the pages and the exports: a line of parts, and what holds its DIMMs."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.comparison.parts.views import PartPoint, PartsOut
from wattmark.core.schema import Schema


class MemoryPoint(PartPoint):
    """A run that a line over DIMM count is fitted through, and its memory."""

    memory_gib: float | None
    memory_type: str | None = None
    channels: dict[str, int] = {}
    """Modules by memory channel."""
    balanced: bool | None = None
    """Whether every channel in use holds the same; None: the slots are not known."""


class MemoryChoice(Schema):
    """A server with a workload and level that it ran with known DIMM counts."""

    server: str
    workload: str
    level: str
    counts: list[int]
    """DIMM counts; a slope needs two."""


class MemoryOut(PartsOut):
    """Watts against DIMM count for one server under one workload."""

    points: Sequence[MemoryPoint]
    planted: dict[str, float] | None = None
    """For a simulated server: what was put into its load model."""
