"""Watts against DIMM count for one server: the line of parts whose parts are memory modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wattmark.analysis.parts.slopes import AMB_MARGIN_W, AMB_W
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.compare.views import ExcludedPoint, IdleLine, MemoryOut, MemoryPoint, ModuleKind
from wattmark.comparison.memory.module_kinds import DIMMS
from wattmark.comparison.parts.line import parts_view
from wattmark.comparison.parts.views import ExcludedPart, IdleParts, PartPoint
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord


def memory_view(
    results: Sequence[Result],
    server: str,
    workload: str,
    level: str,
    planted: dict[str, float] | None = None,
    claim: tuple[float, float] = (AMB_W, AMB_MARGIN_W),
    fitted: Mapping[str, str] | None = None,
    modules: str | None = None,
    records: Sequence[RunRecord] = (),
) -> MemoryOut:
    """Fit wall power over DIMM count from the runs of one server under one workload and level [W/DIMM].

    As `parts_view` does for any part. ``planted`` is what a simulated server's load model holds; it is passed through,
    never used. Points come by DIMM count, capacity, type and channels. ``modules`` names the kind of modules to show,
    or `ALL` of them; None: the kind with most DIMM counts. Raises `InputError` where no run has them. ``fitted`` names
    the installation of each run, by its id, where other runs than these help to determine it.
    """
    fitted = installations(results) if fitted is None else fitted
    line = parts_view(results, (server, workload, level), DIMMS, fitted, modules, claim, records)
    by_run = {r.run_id: r for r in results}
    return MemoryOut(
        server=server,
        workload=workload,
        level=level,
        modules=line.part,
        kinds=[ModuleKind(modules=kind.part, counts=kind.counts, runs=kind.runs) for kind in line.parts],
        points=[_point(point, by_run[point.run_id]) for point in line.points],
        excluded=[_excluded(run) for run in line.excluded],
        throughput_unit=line.throughput_unit,
        efficiency_unit=line.efficiency_unit,
        watts_per_dimm=line.watts_per_part,
        intercept_w=line.intercept_w,
        line=line.line,
        theil_sen_w=line.theil_sen_w,
        lack_of_fit_p=line.lack_of_fit_p,
        statement=line.statement,
        refusal=line.refusal,
        simulated=line.simulated,
        warnings=line.warnings,
        claim=line.claim,
        watts_per_dimm_dc=line.watts_per_part_dc,
        idle=None if line.idle is None else _idle(line.idle),
        turns=line.turns,
        remark=line.remark,
        planted=planted,
    )


def _point(point: PartPoint, r: Result) -> MemoryPoint:
    return MemoryPoint(
        run_id=point.run_id,
        configuration=point.configuration,
        title=point.title,
        dimm_count=point.count,
        memory_gib=r.memory_gib,
        memory_type=None if r.memory is None else r.memory.type,
        channels={} if r.memory is None else r.memory.modules,
        balanced=None if r.memory is None else r.memory.balanced,
        power=point.power,
        idle_power=point.idle_power,
        efficiency=point.efficiency,
        throughput=point.throughput,
        simulated=point.simulated,
        traceable=point.traceable,
        overrides=point.overrides,
        remark=point.remark,
        sources_disagree=point.sources_disagree,
        inclusion=point.inclusion,
    )


def _excluded(run: ExcludedPart) -> ExcludedPoint:
    return ExcludedPoint(
        run_id=run.run_id,
        configuration=run.configuration,
        title=run.title,
        dimm_count=run.count,
        power=run.power,
        simulated=run.simulated,
        traceable=run.traceable,
        reason=run.reason,
    )


def _idle(idle: IdleParts) -> IdleLine:
    return IdleLine(
        n=idle.n,
        watts_per_dimm=idle.watts_per_part,
        intercept_w=idle.intercept_w,
        line=idle.line,
        statement=idle.statement,
        refusal=idle.refusal,
        remark=idle.remark,
    )
