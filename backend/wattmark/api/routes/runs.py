"""Runs: results, one run whole, its traces at screen resolution."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from wattmark.analysis.rule_name import RuleName
from wattmark.api.appliance import ApplianceDep
from wattmark.api.revalidated import revalidated
from wattmark.api.spooled import SpoolDep, spooled
from wattmark.api.stored import StoredRoute
from wattmark.rawdata.csv_rows import csv_lines
from wattmark.rawdata.parquet_rows import write_samples
from wattmark.runs.listing import ResultPage, ResultQuery, RunQuery, RunRows
from wattmark.runs.views import RunOut, TracesOut

router = APIRouter(prefix="/api", tags=["runs"], route_class=StoredRoute)
PARQUET = "application/vnd.apache.parquet"
Rule = Annotated[RuleName, Query(description="Rule that cuts the window")]
Instant = Annotated[float | None, Query(ge=0, le=9e9, description="Unix seconds")]


@router.get("/runs")
def list_runs(appliance: ApplianceDep, query: Annotated[ResultQuery, Query()]) -> ResultPage:
    """Give whole results page by page, newest first, filtered and sorted as the rows of the list are."""
    return appliance.queries.page(query)


@router.get("/run-rows", response_model=RunRows)
def list_rows(request: Request, appliance: ApplianceDep, query: Annotated[RunQuery, Query()]) -> Response:
    """List runs in a line each: filtered, sorted, page by page; unchanged answers are 304 for who sends their tag."""
    return revalidated(request, appliance.queries.rows(query))


@router.get("/runs/{run_id}")
def one_run(run_id: str, appliance: ApplianceDep, rule: Rule = "complete") -> RunOut:
    """Give one run: result with budget and verdicts, phases, window, full disclosure."""
    return appliance.queries.run(run_id, rule)


@router.get("/runs/{run_id}/traces")
def traces(
    run_id: str,
    appliance: ApplianceDep,
    px: Annotated[int, Query(ge=10, le=4000)] = 1200,
    begin_s: Instant = None,
    end_s: Instant = None,
) -> TracesOut:
    """Give all series of a run between two instants, min and max kept for every pixel."""
    return appliance.queries.traces(run_id, px, begin_s, end_s)


@router.get("/runs/{run_id}/samples.{extension}")
def samples(
    run_id: str,
    extension: Literal["csv", "parquet"],
    appliance: ApplianceDep,
    spool: SpoolDep,
    begin_s: Instant = None,
    end_s: Instant = None,
) -> StreamingResponse:
    """Give every recorded sample of a run, or of a part of it, as a file: one row a sample, excluded ones too."""
    found = appliance.queries.samples(run_id, begin_s, end_s)
    name = f"wattmark-samples-{run_id}.{extension}"
    if extension == "csv":
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return StreamingResponse(csv_lines(found), media_type="text/csv; charset=utf-8", headers=headers)
    write = partial(write_samples, found)
    return spooled(spool, write, name=name, media_type=PARQUET)


@router.delete("/runs/{run_id}", status_code=204)
def delete_run(run_id: str, appliance: ApplianceDep) -> None:
    """Move a run into the trash; its samples stay until it is deleted there."""
    appliance.trash.move([run_id])
