"""Watts against DIMM count for one server: the line of parts whose parts are memory modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wattmark.analysis.parts.slopes import AMB_MARGIN_W, AMB_W
from wattmark.comparison.compare.installations import installations
from wattmark.comparison.memory.module_kinds import DIMMS
from wattmark.comparison.memory.views import MemoryOut, MemoryPoint
from wattmark.comparison.parts.line import parts_view
from wattmark.comparison.parts.views import PartPoint
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
    points = [_point(point, by_run[point.run_id]) for point in line.points]
    return MemoryOut(**{**dict(line), "points": points}, planted=planted)


def _point(point: PartPoint, r: Result) -> MemoryPoint:
    return MemoryPoint(
        **dict(point),
        memory_gib=r.memory_gib,
        memory_type=None if r.memory is None else r.memory.type,
        channels={} if r.memory is None else r.memory.modules,
        balanced=None if r.memory is None else r.memory.balanced,
    )
