"""The record of a run at its beginning: everything that is known before the load starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wattmark.campaigns.disclosure import snapshot
from wattmark.campaigns.plan import PlannedRun
from wattmark.inventory.configuration import Configuration
from wattmark.inventory.plan import Plan
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus
from wattmark.workloads.declaration import Declaration


def new_record(
    run: PlannedRun,
    *,
    run_id: str,
    campaign_id: str | None,
    created_ns: int,
    plan: Plan,
    configuration: Configuration,
    declaration: Declaration,
    meters: Sequence[MeterRecord],
    program: str | None,
    host: dict[str, Any],
) -> RunRecord:
    """Write the record with its full disclosure. ``program`` is the program's version as it tells it."""
    seconds = declaration.slices(plan.measure_s)[0]
    return RunRecord(
        run_id=run_id,
        campaign_id=campaign_id,
        plan=plan.name,
        order=run.order,
        server=run.server,
        configuration=run.configuration,
        workload=run.workload,
        level=run.level,
        repeat=run.repeat,
        status=RunStatus.RUNNING,
        created_ns=created_ns,
        unit=declaration.unit,
        meters=tuple(meters),
        full_load_limit_pct=plan.full_load_limit_pct if declaration.limited_by == "cpu" else None,
        configuration_snapshot=snapshot(configuration),
        disclosure={
            "argv": list(declaration.argv(level=run.level_value, seconds=seconds, cpus=host["cpus"])),
            "program_version": program,
            "workload": declaration.model_dump(mode="json"),
            "plan": plan.model_dump(mode="json"),
            "host": host,
        },
    )
