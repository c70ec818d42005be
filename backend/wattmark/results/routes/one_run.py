"""Routes about one stored run, declared once: an appliance reads its data folder, a fleet its store."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal, Protocol

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.results.pages.run_details import RunDetails
from wattmark.results.pages.run_page import TracesOut
from wattmark.results.pages.span import SpanOut
from wattmark.runs.samples.csv_rows import csv_lines
from wattmark.runs.samples.parquet_rows import write_samples
from wattmark.web.attachment import attachment
from wattmark.web.provided import provided
from wattmark.web.spooled import SpoolDep, spooled

PARQUET = "application/vnd.apache.parquet"
Rule = Annotated[RuleName, Query(description="Rule that defines the window")]
Instant = Annotated[float | None, Query(ge=0, le=9e9, description="Unix seconds")]
Edge = Annotated[float, Query(ge=0, le=9e9, description="Unix seconds")]


class StoredRuns(Protocol):
    """Where runs are read from."""

    def of_run(self, run_id: str) -> RunDetails:
        """Return the pages of a run. Raises `NotFound`."""
        ...


def add_run_routes(router: APIRouter, kind: type[StoredRuns]) -> None:
    """Add the routes about one run, answered by the service's instance of a class."""
    source = provided(kind)

    @router.get("/runs/{run_id}/traces")
    def traces(
        run_id: str,
        px: Annotated[int, Query(ge=10, le=4000)] = 1200,
        begin_s: Instant = None,
        end_s: Instant = None,
        runs: StoredRuns = source,
    ) -> TracesOut:
        """Return all series of a run between two times, with minimum and maximum per pixel."""
        return runs.of_run(run_id).traces(run_id, px, begin_s, end_s)

    @router.get("/runs/{run_id}/span")
    def span(run_id: str, begin_s: Edge, end_s: Edge, runs: StoredRuns = source) -> SpanOut:
        """Return mean power with ±, energy, readings and work of a run between two instants, for each of its meters."""
        return runs.of_run(run_id).span(run_id, begin_s, end_s)

    @router.get("/runs/{run_id}/samples.{extension}")
    def samples(
        run_id: str,
        extension: Literal["csv", "parquet"],
        spool: SpoolDep,
        begin_s: Instant = None,
        end_s: Instant = None,
        runs: StoredRuns = source,
    ) -> StreamingResponse:
        """Return every recorded sample of a run, or of a part of it, as a file: a row per sample, excluded ones too."""
        recorded = runs.of_run(run_id).samples(run_id, begin_s, end_s)
        name = f"wattmark-samples-{run_id}.{extension}"
        if extension == "csv":
            headers = attachment(name)
            return StreamingResponse(csv_lines(recorded), media_type="text/csv; charset=utf-8", headers=headers)
        return spooled(spool, partial(write_samples, recorded), name=name, media_type=PARQUET)
