"""The numbers behind watts against DIMM count: slope, intercept, robust slope, claim."""

from __future__ import annotations

from wattmark.comparison.memory.renamed import as_parts
from wattmark.comparison.memory.views import MemoryOut
from wattmark.comparison.parts.fit_table import fit_table
from wattmark.core.part_words import DIMM
from wattmark.tables.table import Table


def memory_fit_table(memory: MemoryOut) -> Table:
    """Build the table of a fit, one figure per row; without a fit it has no rows and its footnote gives the reason."""
    return fit_table("memory-fit", f"{memory.server}, {memory.workload}, {memory.level}", DIMM, as_parts(memory))
