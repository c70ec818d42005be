"""Power of a DIMM on every server that ran a workload, one line for each kind of modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wattmark.comparison.memory.module_kinds import DIMMS
from wattmark.comparison.memory.renamed import renamed
from wattmark.comparison.memory.views import MemorySlope
from wattmark.comparison.parts.slopes import part_slopes
from wattmark.results.result import Result


def memory_slopes(results: Sequence[Result], workload: str, level: str, fitted: Mapping[str, str]) -> list[MemorySlope]:
    """Fit wall power over DIMM count for each server and kind of modules [W/DIMM]; the cheapest module first."""
    own = [r for r in results if (r.workload, r.level) == (workload, level)]
    return [
        renamed(slope, MemorySlope, modules=slope.part, watts_per_dimm=slope.watts_per_part)
        for slope in part_slopes(own, DIMMS, fitted)
    ]
