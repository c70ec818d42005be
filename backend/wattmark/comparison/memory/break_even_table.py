"""The break-even of two servers, and the extra power of a DIMM of one over the other, as numbers."""

from __future__ import annotations

from wattmark.analysis.parts.part_words import DIMM
from wattmark.comparison.memory.break_even_views import BreakEvenOut
from wattmark.comparison.parts.break_even_table import break_even_table as parts_table
from wattmark.comparison.parts.views import PartBreakEven, PartCrossing, PartLine
from wattmark.tables.table import Column, Table


def break_even_table(break_even: BreakEvenOut) -> Table:
    """Build the table, one figure per row; without lines it has no rows and its footnote gives the reason."""
    crossing = break_even.crossing
    meeting = PartBreakEven(
        statement=break_even.statement,
        lines=[
            PartLine(
                server=line.server,
                part=line.memory_type,
                watts_per_part=line.watts_per_dimm,
                remark=line.remark,
                watts_without_parts=line.watts_without_dimms,
                simulated=line.simulated,
                traceable=line.traceable,
                included=line.included,
            )
            for line in break_even.lines
        ],
        crossing=crossing
        and PartCrossing(count=crossing.dimms, first_whole=crossing.first_whole, extrapolated=crossing.extrapolated),
        slope_difference=break_even.slope_difference,
        simulated=break_even.simulated,
    )
    title = f"Break-even: {break_even.server} against {break_even.against}, {break_even.workload}, {break_even.level}"
    return parts_table("break-even", title, DIMM, Column("memory_type", "Memory"), meeting)
