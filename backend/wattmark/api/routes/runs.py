"""Runs: results, one run whole, its traces at screen resolution."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from wattmark.analysis.rule_name import RuleName
from wattmark.api.appliance import ApplianceDep
from wattmark.errors import Conflict
from wattmark.runs.record import RunStatus
from wattmark.runs.result import Result
from wattmark.runs.views import RunOut, TracesOut

router = APIRouter(prefix="/api/runs", tags=["runs"])
Rule = Annotated[RuleName, Query(description="Rule that cuts the window")]


@router.get("")
def list_runs(appliance: ApplianceDep) -> list[Result]:
    """List the result of every run, newest first."""
    return appliance.queries.results()[::-1]


@router.get("/{run_id}")
def one_run(run_id: str, appliance: ApplianceDep, rule: Rule = "complete") -> RunOut:
    """Give one run: result with budget and verdicts, phases, window, full disclosure."""
    return appliance.queries.run(run_id, rule)


@router.get("/{run_id}/traces")
def traces(
    run_id: str,
    appliance: ApplianceDep,
    px: Annotated[int, Query(ge=10, le=4000)] = 1200,
    begin_s: Annotated[float | None, Query(ge=0, le=9e9)] = None,
    end_s: Annotated[float | None, Query(ge=0, le=9e9)] = None,
) -> TracesOut:
    """Give all series of a run between two instants, min and max kept for every pixel."""
    return appliance.queries.traces(run_id, px, begin_s, end_s)


@router.delete("/{run_id}", status_code=204)
def delete_run(run_id: str, appliance: ApplianceDep) -> None:
    """Delete a run with its samples."""
    if appliance.queries.record(run_id).status is RunStatus.RUNNING:
        raise Conflict("This run is recording.", "Stop the campaign first.")
    appliance.queries.delete(run_id)
