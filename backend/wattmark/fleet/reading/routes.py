"""The fleet: runs, single runs and comparisons of all labs, read from the store that their appliances send to.

All routes only read. The shapes are those of the routes of an appliance without `/fleet`.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.analysis.memory.slopes import AMB_MARGIN_W, AMB_W
from wattmark.comparison.choices import MOST_PCT
from wattmark.comparison.compare.views import CompareChoice, CompareDetails, MatrixOut, MemoryOut, MemorySlope
from wattmark.comparison.compare.yardstick import ComparedBy, yardstick
from wattmark.comparison.published.views import PublishedOut
from wattmark.comparison.ring.views import RingOut, RingsOut
from wattmark.comparison.scaling.sweeps import SweepOut
from wattmark.fleet.reading.fleet_store import FleetStore
from wattmark.fleet.reading.views import (
    FacetsOut,
    FleetCompareOut,
    FleetCompareQuery,
    FleetOut,
    FleetRunQuery,
    GroupQuery,
    RingQuery,
    RingsQuery,
)
from wattmark.results.pages.listing import RunRows
from wattmark.results.pages.run_page import RunOut, TracesOut
from wattmark.results.pages.span import SpanOut
from wattmark.runs.samples.csv_rows import csv_lines
from wattmark.runs.samples.parquet_rows import write_samples
from wattmark.web.attachment import attachment
from wattmark.web.provided import provided
from wattmark.web.revalidated import revalidated
from wattmark.web.spooled import SpoolDep, spooled
from wattmark.web.stored import StoredRoute

PARQUET = "application/vnd.apache.parquet"
MOST_ROWS = 60
"""Configurations in one matrix: their runs under all workloads are read."""
router = APIRouter(prefix="/api/fleet", tags=["fleet"], route_class=StoredRoute)
FleetDep = Annotated[FleetStore, provided(FleetStore)]
Rule = Annotated[RuleName, Query(description="Rule that defines the window")]
Instant = Annotated[float | None, Query(ge=0, le=9e9, description="Unix seconds")]
Edge = Annotated[float, Query(ge=0, le=9e9, description="Unix seconds")]
Labs = Annotated[list[str], Query(max_length=1000, description="Only these labs; repeatable")]
Figure = Annotated[ComparedBy, Query(description="Quantity to compare; for power, lower is better")]
Smallest = Annotated[float, Query(gt=0, le=MOST_PCT, description="Smallest relevant difference [%]")]


@router.get("")
def state(fleet: FleetDep) -> FleetOut:
    """Describe the store of the fleet: its labs, or why it cannot be read; target null where none is named."""
    return fleet.out()


@router.get("/run-rows", response_model=RunRows)
def list_rows(request: Request, fleet: FleetDep, query: Annotated[FleetRunQuery, Query()]) -> Response:
    """List the runs of all labs in a row each; returns 304 when If-None-Match matches."""
    return revalidated(request, fleet.rows_json(query))


@router.get("/runs/{run_id}")
def one_run(
    run_id: str,
    fleet: FleetDep,
    rule: Rule = "complete",
    recomputed: Annotated[bool, Query(description="Evaluate it now from its raw samples")] = False,
) -> RunOut:
    """Return one run as its lab issued it, or recomputed from its raw samples with the same certificates."""
    return fleet.run(run_id, recomputed=recomputed).run(run_id, rule)


@router.get("/runs/{run_id}/traces")
def traces(
    run_id: str,
    fleet: FleetDep,
    px: Annotated[int, Query(ge=10, le=4000)] = 1200,
    begin_s: Instant = None,
    end_s: Instant = None,
) -> TracesOut:
    """Return all series of a run between two times, with minimum and maximum per pixel."""
    return fleet.run(run_id).traces(run_id, px, begin_s, end_s)


@router.get("/runs/{run_id}/span")
def span(run_id: str, fleet: FleetDep, begin_s: Edge, end_s: Edge) -> SpanOut:
    """Return mean power with ±, energy, readings and work of a run between two instants, for each of its meters."""
    return fleet.run(run_id).span(run_id, begin_s, end_s)


@router.get("/runs/{run_id}/samples.{extension}")
def samples(
    run_id: str,
    extension: Literal["csv", "parquet"],
    fleet: FleetDep,
    spool: SpoolDep,
    begin_s: Instant = None,
    end_s: Instant = None,
) -> StreamingResponse:
    """Return every recorded sample of a run, or of a part of it, as a file: one row per sample, excluded ones too."""
    recorded = fleet.run(run_id).samples(run_id, begin_s, end_s)
    name = f"wattmark-samples-{run_id}.{extension}"
    if extension == "csv":
        headers = attachment(name)
        return StreamingResponse(csv_lines(recorded), media_type="text/csv; charset=utf-8", headers=headers)
    return spooled(spool, partial(write_samples, recorded), name=name, media_type=PARQUET)


@router.get("/facets")
def facets(fleet: FleetDep, query: Annotated[GroupQuery, Query()]) -> FacetsOut:
    """Count the configurations of a workload and level by lab, model, processor and number of modules."""
    return fleet.facets(query)


@router.get("/compare/choices")
def choices(fleet: FleetDep) -> list[CompareChoice]:
    """List the workloads and levels at which configurations can be compared."""
    return fleet.choices()


@router.get("/compare")
def compare(fleet: FleetDep, query: Annotated[FleetCompareQuery, Query()]) -> FleetCompareOut:
    """Compare a page of the configurations of all labs, best first; the baseline is always among them."""
    by = yardstick(query.figure, query.smallest_pct)
    return fleet.compare(query, query.baseline, by, query.offset, query.limit)


@router.get("/compare/details")
def compare_details(
    fleet: FleetDep,
    workload: str,
    level: str,
    key: str,
    baseline: str | None = None,
    figure: Figure = "efficiency",
    smallest_pct: Smallest = 2.0,
) -> CompareDetails:
    """Return the budget of one configuration of a comparison, and of its ratio to the baseline."""
    return fleet.details(workload, level, key, baseline, yardstick(figure, smallest_pct))


@router.get("/compare/matrix")
def compare_matrix(
    fleet: FleetDep,
    baseline: str,
    key: Annotated[list[str], Query(min_length=1, max_length=MOST_ROWS, description="Configurations, in order")],
    figure: Figure = "efficiency",
) -> MatrixOut:
    """Compare configurations under every workload that they ran, as multiples of the baseline's figure."""
    return fleet.matrix(key, baseline, figure)


@router.get("/memory")
def memory(
    fleet: FleetDep,
    server: str,
    workload: str,
    level: str,
    claim_w: Annotated[float, Query(gt=0, le=1000, description="Claimed watts per DIMM")] = AMB_W,
    margin_w: Annotated[float, Query(gt=0, le=1000, description="Equivalence margin [W/DIMM]")] = AMB_MARGIN_W,
    modules: Annotated[
        str | None, Query(max_length=200, description="Kind of modules, or all. Default: that with most DIMM counts.")
    ] = None,
) -> MemoryOut:
    """Fit watts against the number of DIMMs of one server, named with its lab, and test the slope against a claim."""
    return fleet.memory(server, workload, level, (claim_w, margin_w), modules)


@router.get("/memory/slopes")
def memory_slopes(
    fleet: FleetDep,
    workload: str,
    level: str,
    lab: Labs = [],  # noqa: B006 - FastAPI copies it
) -> list[MemorySlope]:
    """Return the watts per DIMM of every server and kind of modules, the cheapest first."""
    return fleet.memory_slopes(workload, level, lab)


@router.get("/scaling")
def scaling(
    fleet: FleetDep,
    workload: str,
    from_level: Annotated[float | None, Query(gt=0, le=1e9, description="Average over this level and higher")] = None,
    lab: Labs = [],  # noqa: B006 - FastAPI copies it
) -> list[SweepOut]:
    """Return every configuration that ran a workload at several levels: its curve, peak, knee and upper mean."""
    return fleet.sweeps(workload, from_level, lab)


@router.get("/rings")
def rings(fleet: FleetDep, query: Annotated[RingsQuery, Query()]) -> RingsOut:
    """List what at least two labs measured alike, that of most labs first."""
    return fleet.rings(query)


@router.get("/ring")
def ring(fleet: FleetDep, query: Annotated[RingQuery, Query()]) -> RingOut:
    """Compare the labs that measured one server model: consensus value, differences with ±, En and z scores."""
    return fleet.ring(query)


@router.get("/published")
def published(fleet: FleetDep) -> PublishedOut:
    """Return the published articles, their figures, and what is known of them."""
    return fleet.published()
