"""Power of a DIMM on every server that ran a workload, one line for each kind of modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wattmark.analysis.refusal import Refused
from wattmark.comparison.compare.views import MemorySlope
from wattmark.comparison.memory.memory import all_known, counted_runs, fit_counted
from wattmark.comparison.memory.module_kinds import module_kind, module_kinds
from wattmark.comparison.memory.slope_words import slope_remark
from wattmark.results.result import Result


def memory_slopes(results: Sequence[Result], workload: str, level: str, fitted: Mapping[str, str]) -> list[MemorySlope]:
    """Fit wall power over DIMM count for each server and kind of modules [W/DIMM]; the cheapest module first.

    Kinds with a single DIMM count are excluded; ``refusal`` says why another has no fit. ``fitted`` names the
    installation of each run by its id.
    """
    own = [r for r in results if (r.workload, r.level) == (workload, level)]
    slopes = []
    for server in sorted({r.server for r in own}):
        counted = counted_runs([r for r in own if r.server == server])
        for kind in module_kinds(counted):
            if len(kind.counts) > 1:
                runs = [r for r in counted if module_kind(r) == kind.modules]
                slopes.append(_slope(server, kind.modules, kind.counts, runs, fitted))
    return sorted(slopes, key=lambda slope: (slope.watts_per_dimm is None, _watts(slope), slope.server, slope.modules))


def _slope(
    server: str, modules: str, counts: list[int], runs: Sequence[Result], fitted: Mapping[str, str]
) -> MemorySlope:
    slope = MemorySlope(
        server=server, modules=modules, counts=counts, runs=len(runs), simulated=any(r.simulated for r in runs)
    )
    try:
        fit = fit_counted(runs, fitted)
    except Refused as refusal:
        return slope.model_copy(update={"refusal": refusal.text})
    interval = fit.interval.complete_if(all_known(runs))
    return slope.model_copy(update={"watts_per_dimm": interval, "remark": slope_remark(fit)})


def _watts(slope: MemorySlope) -> float:
    return 0.0 if slope.watts_per_dimm is None else slope.watts_per_dimm.value
