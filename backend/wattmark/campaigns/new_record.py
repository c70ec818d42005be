"""The record of a run at its beginning: everything that is known before the load starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from wattmark.campaigns.disclosure import snapshot
from wattmark.campaigns.planned import PlannedRun
from wattmark.inventory.configuration import Configuration
from wattmark.inventory.plan import Plan
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus
from wattmark.runs.structure import ASKED_S
from wattmark.workloads.declaration import Declaration

NOTHING: Mapping[str, Any] = MappingProxyType({})


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
    level: int | None,
    attempt: int = 1,
    known: Mapping[str, Any] = NOTHING,
) -> RunRecord:
    """Write the record with its full disclosure. ``program`` is the program's version as it tells it.

    ``level`` is the one that it is run at: for a share of a calibrated maximum the plan alone does not tell it.
    ``known`` is what earlier runs of the campaign have told.
    """
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
        attempt=attempt,
        status=RunStatus.RUNNING,
        created_ns=created_ns,
        unit=declaration.unit,
        meters=tuple(meters),
        full_load_limit_pct=plan.full_load_limit_pct if _at_full_load(run, declaration) else None,
        configuration_snapshot=snapshot(configuration),
        disclosure={
            "argv": list(declaration.argv(level=level, seconds=seconds, cpus=host.get("cpus", 1))),
            "program_version": program,
            ASKED_S: plan.measure_s if run.task == "idle" else declaration.asked_s(plan.measure_s),
            "task": {"task": run.task, "percent": run.percent, "level": level},
            "workload": declaration.model_dump(mode="json"),
            "plan": plan.model_dump(mode="json"),
            "host": host,
            **known,
        },
    )


def _at_full_load(run: PlannedRun, declaration: Declaration) -> bool:
    """Tell whether the CPUs are meant to have nothing left."""
    return declaration.limited_by == "cpu" and run.task in ("measure", "calibrate")
