"""The table of power against DIMM count."""

from __future__ import annotations

from collections.abc import Mapping

from wattmark.comparison.memory.views import MemoryOut, MemoryPoint
from wattmark.comparison.parts.line_table import line_table
from wattmark.tables.fields import Fields
from wattmark.tables.table import Column, LayoutColumn, Table

_LAYOUT = (LayoutColumn("memory_type", if_varies=True),)
_MODULES: Fields[MemoryPoint] = (
    (Column("memory_gib", "Memory", "GiB", "number"), lambda p: p.memory_gib),
    (Column("memory_type", "Type"), lambda p: p.memory_type),
    (Column("channels", "Modules by channel"), lambda p: _by_channel(p.channels)),
    (Column("balanced", "Balanced", kind="flag", for_people=False), lambda p: p.balanced),
)


def memory_table(memory: MemoryOut) -> Table:
    """Build the table of power against DIMM count; the fit and its interval are in the footnotes."""
    return line_table("memory", memory, memory.points, _MODULES, _LAYOUT, memory.planted)


def _by_channel(channels: Mapping[str, int]) -> str | None:
    return ", ".join(f"{name} {count}" for name, count in channels.items()) or None
