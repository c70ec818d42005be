"""Runs: results, one run whole, its traces at screen resolution."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.results.pages.listing import ResultPage, ResultQuery, RunQuery, RunRows
from wattmark.results.pages.run_page import RunOut, TracesOut
from wattmark.results.pages.run_pages import RunPages
from wattmark.results.pages.span import SpanOut
from wattmark.runs.samples.csv_rows import csv_lines
from wattmark.runs.samples.parquet_rows import write_samples
from wattmark.runs.trash import Trash
from wattmark.web.attachment import attachment
from wattmark.web.provided import provided
from wattmark.web.revalidated import revalidated
from wattmark.web.spooled import SpoolDep, spooled
from wattmark.web.stored import StoredRoute

router = APIRouter(prefix="/api", tags=["runs"], route_class=StoredRoute)
PagesDep = Annotated[RunPages, provided(RunPages)]
TrashDep = Annotated[Trash, provided(Trash)]
PARQUET = "application/vnd.apache.parquet"
Rule = Annotated[RuleName, Query(description="Rule that defines the window")]
Instant = Annotated[float | None, Query(ge=0, le=9e9, description="Unix seconds")]
Edge = Annotated[float, Query(ge=0, le=9e9, description="Unix seconds")]


@router.get("/runs")
def list_runs(pages: PagesDep, query: Annotated[ResultQuery, Query()]) -> ResultPage:
    """Return whole results page by page, newest first by default, filtered and sorted like the list of runs."""
    return pages.page(query)


@router.get("/run-rows", response_model=RunRows)
def list_rows(request: Request, pages: PagesDep, query: Annotated[RunQuery, Query()]) -> Response:
    """List runs in a row each: filtered, sorted, page by page; returns 304 when If-None-Match matches."""
    return revalidated(request, pages.rows_json(query))


@router.get("/runs/{run_id}")
def one_run(run_id: str, pages: PagesDep, rule: Rule = "complete") -> RunOut:
    """Return one run: result with budget and verdicts, phases, window, full disclosure."""
    return pages.run(run_id, rule)


@router.get("/runs/{run_id}/traces")
def traces(
    run_id: str,
    pages: PagesDep,
    px: Annotated[int, Query(ge=10, le=4000)] = 1200,
    begin_s: Instant = None,
    end_s: Instant = None,
) -> TracesOut:
    """Return all series of a run between two times, with minimum and maximum per pixel."""
    return pages.traces(run_id, px, begin_s, end_s)


@router.get("/runs/{run_id}/span")
def span(run_id: str, pages: PagesDep, begin_s: Edge, end_s: Edge) -> SpanOut:
    """Return mean power with ±, energy, readings and work of a run between two instants, for each of its meters."""
    return pages.span(run_id, begin_s, end_s)


@router.get("/runs/{run_id}/samples.{extension}")
def samples(
    run_id: str,
    extension: Literal["csv", "parquet"],
    pages: PagesDep,
    spool: SpoolDep,
    begin_s: Instant = None,
    end_s: Instant = None,
) -> StreamingResponse:
    """Return every recorded sample of a run, or of a part of it, as a file: one row per sample, excluded ones too."""
    recorded = pages.samples(run_id, begin_s, end_s)
    name = f"wattmark-samples-{run_id}.{extension}"
    if extension == "csv":
        headers = attachment(name)
        return StreamingResponse(csv_lines(recorded), media_type="text/csv; charset=utf-8", headers=headers)
    write = partial(write_samples, recorded)
    return spooled(spool, write, name=name, media_type=PARQUET)


@router.delete("/runs/{run_id}", status_code=204)
def delete_run(run_id: str, trash: TrashDep) -> None:
    """Move a run into the trash; its samples stay until it is deleted there."""
    trash.move([run_id])
