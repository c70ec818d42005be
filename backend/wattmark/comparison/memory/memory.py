"""Watts against DIMM count for one server: the line of parts whose parts are memory modules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from wattmark.comparison.compare.installations import installations
from wattmark.comparison.compare.load import full_by_name
from wattmark.comparison.memory.by_bandwidth import rates_by_bandwidth
from wattmark.comparison.memory.module_kinds import DIMMS
from wattmark.comparison.memory.views import MemoryChoice, MemoryOut, MemoryPoint
from wattmark.comparison.parts.line import parts_view
from wattmark.comparison.parts.parts import Ran
from wattmark.comparison.parts.views import PartPoint
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord, RunStatus


def memory_view(
    results: Sequence[Result],
    server: str,
    workload: str,
    level: str,
    planted: dict[str, float] | None = None,
    claim: tuple[float, float] | None = None,
    fitted: Mapping[str, str] | None = None,
    modules: str | None = None,
    records: Sequence[RunRecord] = (),
    levels: Iterable[tuple[RunRecord, Result]] = (),
) -> MemoryOut:
    """Fit wall power over DIMM count from the runs of one server under one workload and level [W/DIMM].

    As `parts_view` does for any part. ``planted`` is what a simulated server's load model holds; it is passed through,
    never used. Points come by DIMM count, capacity, type and channels. ``modules`` names the kind of modules to show,
    or `ALL` of them; None: the kind with most DIMM counts. Raises `InputError` where no run has them. ``fitted`` names
    the installation of each run, by its id, where other runs than these help to determine it. ``levels`` are the runs
    of the same server and workload at all levels: a load that counts bytes of memory has its watts at each bandwidth.
    """
    fitted = installations(results) if fitted is None else fitted
    line = parts_view(results, (server, workload, level), DIMMS, fitted, modules, claim, records)
    by_run = {r.run_id: r for r in results}
    points = [_point(point, by_run[point.run_id]) for point in line.points]
    rates = rates_by_bandwidth(levels, fitted, line.part)
    return MemoryOut(**{**dict(line), "points": points, "rates": rates}, planted=planted)


class RanWithModules(Ran, Protocol):
    """A run by what it ran on which server, with how many modules."""

    @property
    def dimm_count(self) -> int | None: ...
    @property
    def status(self) -> str: ...


def memory_choices(ran: Iterable[RanWithModules]) -> list[MemoryChoice]:
    """List the servers, workloads and levels of complete runs with known DIMM counts, those with most counts first.

    Of equal ones full load comes first.
    """
    counts: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for run in ran:
        if run.dimm_count is not None and run.status == RunStatus.COMPLETE:
            counts[run.server, run.workload, run.level].add(run.dimm_count)
    choices = [
        MemoryChoice(server=server, workload=workload, level=level, counts=sorted(of))
        for (server, workload, level), of in counts.items()
    ]
    return sorted(
        choices,
        key=lambda choice: (
            -len(choice.counts), not full_by_name(choice.level), choice.server, choice.workload, choice.level,
        ),
    )  # fmt: skip


def _point(point: PartPoint, r: Result) -> MemoryPoint:
    return MemoryPoint(
        **dict(point),
        memory_gib=r.memory_gib,
        memory_type=None if r.memory is None else r.memory.type,
        channels={} if r.memory is None else r.memory.modules,
        balanced=None if r.memory is None else r.memory.balanced,
    )
