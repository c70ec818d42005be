"""Runs: results, one run whole, its traces at screen resolution."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from wattmark.results.pages.listing import ResultPage, ResultQuery, RunFacets, RunQuery, RunRows
from wattmark.results.pages.run_page import RunOut
from wattmark.results.pages.run_pages import RunPages
from wattmark.results.routes.one_run import Rule, add_run_routes
from wattmark.runs.trash import Trash
from wattmark.web.provided import provided
from wattmark.web.revalidated import revalidated
from wattmark.web.stored import StoredRoute

router = APIRouter(prefix="/api", tags=["runs"], route_class=StoredRoute)
PagesDep = Annotated[RunPages, provided(RunPages)]
TrashDep = Annotated[Trash, provided(Trash)]
add_run_routes(router, RunPages)


@router.get("/runs")
def list_runs(pages: PagesDep, query: Annotated[ResultQuery, Query()]) -> ResultPage:
    """Return whole results page by page, newest first by default, filtered and sorted like the list of runs."""
    return pages.page(query)


@router.get("/run-rows", response_model=RunRows)
def list_rows(request: Request, pages: PagesDep, query: Annotated[RunQuery, Query()]) -> Response:
    """List runs in a row each: filtered, sorted, page by page; returns 304 when If-None-Match matches."""
    return revalidated(request, pages.rows_json(query))


@router.get("/run-rows/facets")
def row_facets(pages: PagesDep, query: Annotated[RunQuery, Query()]) -> RunFacets:
    """Count the runs by what the list can be filtered by, each value under the other filters."""
    return pages.facets(query)


@router.get("/runs/{run_id}")
def one_run(run_id: str, pages: PagesDep, rule: Rule = "complete") -> RunOut:
    """Return one run: result with budget and verdicts, phases, window, full disclosure."""
    return pages.run(run_id, rule)


@router.delete("/runs/{run_id}", status_code=204)
def delete_run(run_id: str, trash: TrashDep) -> None:
    """Move a run into the trash; its samples stay until it is deleted there."""
    trash.move([run_id])
