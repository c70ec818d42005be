"""The numbers behind watts against DIMM count: slope, intercept, robust slope, claim."""

from __future__ import annotations

from wattmark.analysis.parts.part_words import DIMM
from wattmark.comparison.compare.views import MemoryOut
from wattmark.comparison.parts.fit_table import FitFigures, fit_table
from wattmark.tables.table import Table


def memory_fit_table(memory: MemoryOut) -> Table:
    """Build the table of a fit, one figure per row; without a fit it has no rows and its footnote gives the reason."""
    idle = memory.idle
    fit = FitFigures(
        watts_per_part=memory.watts_per_dimm,
        remark=memory.remark,
        theil_sen_w=memory.theil_sen_w,
        watts_per_part_dc=memory.watts_per_dimm_dc,
        intercept_w=memory.intercept_w,
        idle_watts_per_part=None if idle is None else idle.watts_per_dimm,
        idle_remark=None if idle is None else idle.remark,
        idle_intercept_w=None if idle is None else idle.intercept_w,
        lack_of_fit_p=memory.lack_of_fit_p,
        claim=memory.claim,
        points=memory.points,
        statement=memory.statement,
    )
    return fit_table("memory-fit", f"{memory.server}, {memory.workload}, {memory.level}", DIMM, fit)
