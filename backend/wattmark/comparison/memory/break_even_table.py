"""The break-even of two servers, and the extra power of a DIMM of one over the other, as numbers."""

from __future__ import annotations

from wattmark.comparison.memory.renamed import renamed
from wattmark.comparison.memory.views import BreakEvenOut
from wattmark.comparison.parts.break_even_table import break_even_table as parts_table
from wattmark.comparison.parts.views import PartBreakEven, PartCrossing, PartLine
from wattmark.core.part_words import DIMM
from wattmark.tables.table import Column, Table


def break_even_table(break_even: BreakEvenOut) -> Table:
    """Build the table, one figure per row; without lines it has no rows and its footnote gives the reason."""
    crossing = break_even.crossing
    meeting = renamed(
        break_even,
        PartBreakEven,
        lines=[
            renamed(
                line,
                PartLine,
                part=line.memory_type,
                watts_per_part=line.watts_per_dimm,
                watts_without_parts=line.watts_without_dimms,
            )
            for line in break_even.lines
        ],
        crossing=None if crossing is None else renamed(crossing, PartCrossing, count=crossing.dimms),
    )
    title = f"Break-even: {break_even.server} against {break_even.against}, {break_even.workload}, {break_even.level}"
    return parts_table("break-even", title, DIMM, Column("memory_type", "Memory"), meeting)
