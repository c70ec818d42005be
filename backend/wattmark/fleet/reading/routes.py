"""The fleet: runs, single runs and comparisons of all labs, read from the store that their appliances send to.

All routes only read. The shapes are those of the routes of an appliance without `/fleet`.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from wattmark.comparison.compare.yardstick import yardstick
from wattmark.comparison.parts.views import PartSlope, PooledSlope
from wattmark.comparison.ring.views import RingOut, RingsOut
from wattmark.comparison.routes.shared import FromLevel, PartKind, add_shared_routes
from wattmark.comparison.scaling.sweeps import SweepOut
from wattmark.fleet.reading.fleet_store import FleetStore
from wattmark.fleet.reading.views import (
    ONLY_LABS,
    FacetsOut,
    FleetCompareOut,
    FleetCompareQuery,
    FleetOut,
    FleetRunQuery,
    GroupQuery,
    LoadQuery,
    RingQuery,
    RingsQuery,
)
from wattmark.results.pages.listing import RunFacets, RunRows
from wattmark.results.pages.run_page import RunOut
from wattmark.results.routes.one_run import Rule, add_run_routes
from wattmark.web.provided import provided
from wattmark.web.revalidated import revalidated
from wattmark.web.stored import StoredRoute

router = APIRouter(prefix="/api/fleet", tags=["fleet"], route_class=StoredRoute)
FleetDep = Annotated[FleetStore, provided(FleetStore)]
Labs = Annotated[list[str], Query(max_length=1000, description=ONLY_LABS)]
add_run_routes(router, FleetStore)
add_shared_routes(router, FleetStore)


@router.get("")
def state(fleet: FleetDep) -> FleetOut:
    """Describe the store of the fleet: its labs, or why it cannot be read; target null where none is named."""
    return fleet.out()


@router.get("/run-rows", response_model=RunRows)
def list_rows(request: Request, fleet: FleetDep, query: Annotated[FleetRunQuery, Query()]) -> Response:
    """List the runs of all labs in a row each; returns 304 when If-None-Match matches."""
    return revalidated(request, fleet.rows_json(query))


@router.get("/run-rows/facets")
def row_facets(fleet: FleetDep, query: Annotated[FleetRunQuery, Query()]) -> RunFacets:
    """Count the runs by what the list can be filtered by, each value under the other filters."""
    return fleet.row_facets(query)


@router.get("/runs/{run_id}")
def one_run(
    run_id: str,
    fleet: FleetDep,
    rule: Rule = "complete",
    recomputed: Annotated[bool, Query(description="Evaluate it now from its raw samples")] = False,
) -> RunOut:
    """Return one run as its lab issued it, or recomputed from its raw samples with the same certificates."""
    return fleet.run(run_id, recomputed=recomputed).run(run_id, rule)


@router.get("/facets")
def facets(fleet: FleetDep, query: Annotated[GroupQuery, Query()]) -> FacetsOut:
    """Count the configurations of a workload and level by lab, model, processor and number of modules."""
    return fleet.facets(query)


@router.get("/compare")
def compare(fleet: FleetDep, query: Annotated[FleetCompareQuery, Query()]) -> FleetCompareOut:
    """Compare a page of the configurations of all labs, best first; the baseline is always among them."""
    by = yardstick(query.figure, query.smallest_pct)
    return fleet.compare(query, query.baseline, by, query.offset, query.limit, any_version=query.any_version)


@router.get("/memory/slopes")
def memory_slopes(fleet: FleetDep, query: Annotated[LoadQuery, Query()]) -> list[PartSlope]:
    """Return the watts per DIMM of every server and kind of modules, the cheapest first."""
    return fleet.memory_slopes(query.workload, query.level, query.lab)


@router.get("/memory/pooled")
def memory_pooled(fleet: FleetDep, query: Annotated[LoadQuery, Query()]) -> list[PooledSlope]:
    """Return the watts per DIMM of each kind of modules over its servers, and the prediction for another one."""
    return fleet.memory_pooled(query.workload, query.level, query.lab)


@router.get("/parts/slopes")
def part_slopes(
    fleet: FleetDep,
    kind: PartKind,
    workload: str,
    level: str,
    lab: Labs = [],  # noqa: B006 - FastAPI copies it
) -> list[PartSlope]:
    """Return the watts per part of every server and model of a kind, the cheapest first."""
    return fleet.part_slopes(kind, workload, level, lab)


@router.get("/scaling")
def scaling(
    fleet: FleetDep,
    workload: str,
    from_level: FromLevel = None,
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
