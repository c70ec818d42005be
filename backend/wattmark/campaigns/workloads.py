"""The workloads that a plan of this bench may name."""

from __future__ import annotations

import os

from wattmark.bench.bench import Bench
from wattmark.bench.workload_entry import WorkloadUse
from wattmark.campaigns.workload_views import LevelRuleOut, PublishedOnlyOut, WorkloadOut, WorkloadsOut
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.local.programs import missing_program
from wattmark.workloads.seeds import published_only


def list_bench_workloads(bench: Bench) -> WorkloadsOut:
    """List the workloads of the catalogue and of the bench, and those that exist in print alone."""
    own = {entry.name if isinstance(entry, WorkloadUse) else entry.id for entry in bench.workloads}
    return WorkloadsOut(
        workloads=[_workload(item, bench, own=name in own) for name, item in bench.workload_declarations().items()],
        published_only=[
            PublishedOnlyOut(id=name, title=item.title, reason=item.reason) for name, item in published_only().items()
        ],
    )


def _workload(item: Declaration, bench: Bench, *, own: bool) -> WorkloadOut:
    return WorkloadOut(
        id=item.id,
        title=item.title,
        unit=item.unit,
        limited_by=item.limited_by,
        level=_level(item),
        origin="bench" if own else "catalogue",
        external=item.external,
        missing=missing_program(item, bench.folder),
        missing_parameters=[f"{name}: {item.parameters[name].help}" for name in item.missing_parameters()],
        stands_for=list(item.stands_for),
        source=item.source,
    )


def _level(item: Declaration) -> LevelRuleOut | None:
    rule = item.level
    if rule is None:
        return None
    full = rule.full(len(os.sched_getaffinity(0)))
    return LevelRuleOut(one=rule.one, many=rule.many, full=full, sweep=list(rule.sweep), asks_per_s=rule.asks_per_s)
